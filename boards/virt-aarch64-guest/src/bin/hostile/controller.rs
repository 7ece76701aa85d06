//! Owns: the interrupt controller, set up so that attacks by interrupts can be made at all; how it is misused is an attack's own.
//! Registers: Arm IHI 0069 (GICv3), chapter 12.

use crate::processor::{read, write};
use crate::touch::write_word;
use taktos_abi::vm::layout;

pub const DISTRIBUTOR: u64 = layout::DISTRIBUTOR;
pub const REDISTRIBUTOR: u64 = layout::REDISTRIBUTOR;
/// Offsets: GICD_CTLR; GICD_ISENABLER1, of the interrupts 32 to 63; GICR_WAKER; and in the redistributor's second frame GICR_IGROUPR0,
/// GICR_ISENABLER0, GICR_ICPENDR0, GICR_ICACTIVER0 and GICR_IPRIORITYR0.
const CONTROL: u64 = 0;
const ENABLE_SHARED: u64 = 0x104;
const WAKER: u64 = 0x14;
const PRIVATE: u64 = 0x1_0000;
const GROUP: u64 = PRIVATE + 0x80;
const ENABLE: u64 = PRIVATE + 0x100;
const CLEAR_PENDING: u64 = PRIVATE + 0x280;
const CLEAR_ACTIVE: u64 = PRIVATE + 0x380;
const PRIORITY: u64 = PRIVATE + 0x400;
/// Both groups, and affinity routing.
const ALL_ON: u32 = 0b1_0011;
/// All software interrupts, and both timers.
const WANTED: u32 = 0xFFFF | 1 << 27 | 1 << 30;
/// Those of channels.
const WANTED_SHARED: u32 = 0xFF << (layout::CHANNEL_INTERRUPT - 32);

/// Puts all in order.
pub fn set_up() {
    write!("icc_sre_el1", 1);
    write!("icc_ctlr_el1", 0);
    write!("icc_igrpen1_el1", 1);
    write!("icc_pmr_el1", 0xFF);
    write!("icc_bpr1_el1", 0);
    write_word(DISTRIBUTOR + CONTROL, ALL_ON);
    write_word(REDISTRIBUTOR + WAKER, 0);
    write_word(REDISTRIBUTOR + GROUP, u32::MAX);
    write_word(REDISTRIBUTOR + CLEAR_PENDING, u32::MAX);
    write_word(REDISTRIBUTOR + CLEAR_ACTIVE, u32::MAX);
    for four in 0..8 {
        write_word(REDISTRIBUTOR + PRIORITY + 4 * four, 0x8080_8080);
    }
    write_word(REDISTRIBUTOR + ENABLE, WANTED);
    write_word(DISTRIBUTOR + ENABLE_SHARED, WANTED_SHARED);
    // What was acknowledged and never ended.
    write!("icc_ap0r0_el1", 0);
    write!("icc_ap1r0_el1", 0);
}

/// Takes the most urgent interrupt.
pub fn acknowledge() -> u64 {
    read!("icc_iar1_el1")
}

/// Ends interrupt `number`, if it is one.
pub fn end(number: u64) {
    if number < 1020 {
        write!("icc_eoir1_el1", number);
    }
}

/// Sends a software interrupt, as `ICC_SGI1R_EL1` has it.
pub fn send(value: u64) {
    write!("icc_sgi1r_el1", value);
}
