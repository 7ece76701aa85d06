//! Owns: the console: USART1 on PB6 and PB7, which the board's debug probe shows as a serial port;
//! 115,200 baud. Registers: RM0351, USART (40.8), general-purpose pins (8.4), reset and clock
//! control (6.4).

use taktos_boards::registers::Register;

/// Clocked devices: pins of port B; USART1.
const PORTS_CLOCKED: Register = Register(0x4002_104C);
const PORT_B: u32 = 1 << 1;
const DEVICES_CLOCKED: Register = Register(0x4002_1060);
const USART1: u32 = 1 << 14;
/// Modes of the pins of port B, two bits each; functions of the lower pins, four bits each.
const MODES: Register = Register(0x4800_0400);
const FUNCTIONS: Register = Register(0x4800_0420);
const USART_CONTROL: Register = Register(0x4001_3800);
const USART_RATE: Register = Register(0x4001_380C);
const USART_STATUS: Register = Register(0x4001_381C);
const USART_SEND: Register = Register(0x4001_3828);
const ENABLE_BOTH_WAYS: u32 = 1 | 1 << 2 | 1 << 3;
const CAN_SEND: u32 = 1 << 7;
const BAUD: u32 = 115_200;

/// Starts the console, on a processor of `hertz`.
pub(crate) fn start(hertz: u32) {
    PORTS_CLOCKED.change(0, PORT_B);
    DEVICES_CLOCKED.change(0, USART1);
    // Pins 6 and 7 have their alternate function, the seventh.
    MODES.change(0xF << 12, 0b1010 << 12);
    FUNCTIONS.change(0xFF << 24, 0x77 << 24);
    USART_RATE.write((hertz + BAUD / 2) / BAUD);
    USART_CONTROL.write(ENABLE_BOTH_WAYS);
}

/// Writes `text`, and waits for the line.
pub(crate) fn write(text: &str) {
    for byte in text.bytes() {
        while USART_STATUS.read() & CAN_SEND == 0 {}
        USART_SEND.write(byte.into());
    }
}
