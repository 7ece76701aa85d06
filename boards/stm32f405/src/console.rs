//! Owns: the console: USART1 on PA9 and PA10; 115,200 baud.
//! Registers: RM0090, USART (30.6), general-purpose pins (8.4), reset and clock control (7.3).

use taktos_boards::registers::Register;

/// Clocked devices: pins of port A; USART1.
const PORTS_CLOCKED: Register = Register(0x4002_3830);
const PORT_A: u32 = 1;
const DEVICES_CLOCKED: Register = Register(0x4002_3844);
const USART1: u32 = 1 << 4;
/// Modes of the pins of port A, two bits each; functions of the upper pins, four bits each.
const MODES: Register = Register(0x4002_0000);
const FUNCTIONS: Register = Register(0x4002_0024);
const USART_STATUS: Register = Register(0x4001_1000);
const USART_SEND: Register = Register(0x4001_1004);
const USART_RATE: Register = Register(0x4001_1008);
const USART_CONTROL: Register = Register(0x4001_100C);
const ENABLE_BOTH_WAYS: u32 = 1 << 13 | 1 << 3 | 1 << 2;
const CAN_SEND: u32 = 1 << 7;
const BAUD: u32 = 115_200;

/// Starts the console; fast devices run at `hertz`.
pub(crate) fn start(hertz: u32) {
    PORTS_CLOCKED.change(0, PORT_A);
    DEVICES_CLOCKED.change(0, USART1);
    // Pins 9 and 10 have their alternate function, the seventh.
    MODES.change(0xF << 18, 0b1010 << 18);
    FUNCTIONS.change(0xFF << 4, 0x77 << 4);
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
