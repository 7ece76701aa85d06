//! Owns: the PL011's register map (Arm DDI 0183G, chapter 3). Must never know: what they do.

/// UARTDR.
pub const DATA: u64 = 0x000;
/// UARTFR.
pub const FLAGS: u64 = 0x018;
/// UARTILPR.
pub const LOW_POWER: u64 = 0x020;
/// UARTIBRD.
pub const INTEGER_DIVISOR: u64 = 0x024;
/// UARTFBRD.
pub const FRACTIONAL_DIVISOR: u64 = 0x028;
/// UARTLCR_H.
pub const LINE: u64 = 0x02C;
/// UARTCR.
pub const CONTROL: u64 = 0x030;
/// UARTIFLS.
pub const LEVELS: u64 = 0x034;
/// UARTIMSC.
pub const MASK: u64 = 0x038;
/// UARTRIS.
pub const RAISED: u64 = 0x03C;
/// UARTMIS.
pub const MASKED: u64 = 0x040;
/// UARTICR.
pub const CLEAR: u64 = 0x044;
/// UARTDMACR.
pub const DMA: u64 = 0x048;
/// UARTPeriphID0, the first of eight.
pub const IDENTIFICATION: u64 = 0xFE0;
/// Where the registers end.
pub const REGISTERS: u64 = 0x1000;

/// UARTPeriphID0 to 3 (part 0x011, designer 0x41, revision 3: r1p5) and UARTPCellID0 to 3.
pub const IDENTITY: [u8; 8] = [0x11, 0x10, 0x34, 0x00, 0x0D, 0xF0, 0x05, 0xB1];
/// The depth of each FIFO since r1p5.
pub const FIFO: usize = 32;

/// UARTFR: clear to send, data set ready, data carrier detected.
pub const CONNECTED: u32 = 0b111;
/// UARTFR.BUSY.
pub const BUSY: u32 = 1 << 3;
/// UARTFR.RXFE.
pub const RECEIVE_EMPTY: u32 = 1 << 4;
/// UARTFR.TXFF.
pub const TRANSMIT_FULL: u32 = 1 << 5;
/// UARTFR.RXFF.
pub const RECEIVE_FULL: u32 = 1 << 6;
/// UARTFR.TXFE.
pub const TRANSMIT_EMPTY: u32 = 1 << 7;

/// UARTLCR_H.FEN.
pub const FIFOS: u8 = 1 << 4;

/// UARTCR.LBE.
pub const LOOPBACK: u16 = 1 << 7;
/// UARTCR's bits that are not reserved.
pub const CONTROL_BITS: u16 = 0xFF87;
/// UARTCR: transmission and reception enabled.
pub const CONTROL_AT_RESET: u16 = 0x0300;
/// UARTIFLS: both FIFOs half full.
pub const LEVELS_AT_RESET: u8 = 0x12;

/// The receive interrupt (UARTRXINTR) in UARTIMSC, UARTRIS, UARTMIS and UARTICR.
pub const RECEIVE: u16 = 1 << 4;
/// The transmit interrupt (UARTTXINTR).
pub const TRANSMIT: u16 = 1 << 5;
/// The receive time-out interrupt (UARTRTINTR).
pub const RECEIVE_TIMEOUT: u16 = 1 << 6;
/// All eleven.
pub const ALL_INTERRUPTS: u16 = 0x7FF;
