//! Owns: the interrupt controller, set up so that attacks by interrupts can be made at all; its
//! misuse is part of each attack. Registers: Arm IHI 0069 (GICv3), chapter 12.

use crate::processor::{read, write};
use crate::touch::write_word;
use taktos_abi::vm::layout;

pub const DISTRIBUTOR: u64 = layout::DISTRIBUTOR;
pub const REDISTRIBUTOR: u64 = layout::REDISTRIBUTOR;
/// Of the distributor, GICD_CTLR; of the redistributor, GICR_WAKER, and the offset of its second
/// frame.
const CONTROL: u64 = 0;
const WAKER: u64 = 0x14;
const PRIVATE: u64 = 0x1_0000;
/// Offsets that both frames share: GICD_IGROUPR, GICD_ISENABLER, GICD_ICENABLER, GICD_ISPENDR,
/// GICD_ICPENDR, GICD_ICACTIVER, a word for 32 interrupts each; and GICD_IPRIORITYR, a byte for
/// each interrupt.
const GROUP: u64 = 0x80;
const ENABLE: u64 = 0x100;
const DISABLE: u64 = 0x180;
const SET_PENDING: u64 = 0x200;
const CLEAR_PENDING: u64 = 0x280;
const CLEAR_ACTIVE: u64 = 0x380;
const PRIORITY: u64 = 0x400;
/// The banks of 32 interrupts that a guest has: its private ones, and two of shared ones.
const BANKS: u64 = 3;
/// Both groups, and affinity routing.
const ALL_ON: u32 = 0b1_0011;
/// All software interrupts, and both timers.
const WANTED: u32 = 0xFFFF | 1 << 27 | 1 << 30;
/// Those of channels.
const WANTED_SHARED: u32 = 0xFF << (layout::CHANNEL_INTERRUPT - 32);

/// Brings the controller into its initial state.
pub fn set_up() {
    write!("icc_sre_el1", 1);
    write!("icc_ctlr_el1", 0);
    write!("icc_igrpen1_el1", 1);
    write!("icc_pmr_el1", 0xFF);
    write!("icc_bpr1_el1", 0);
    write_word(DISTRIBUTOR + CONTROL, ALL_ON);
    write_word(REDISTRIBUTOR + WAKER, 0);
    for bank in 0..BANKS {
        put_in_order(bank);
    }
    set(0, ENABLE, WANTED);
    set(1, ENABLE, WANTED_SHARED);
    // Interrupts that were acknowledged and never ended: none is active any longer.
    write!("icc_ap0r0_el1", 0);
    write!("icc_ap1r0_el1", 0);
}

/// Returns the frame that has the registers of `bank`.
const fn frame(bank: u64) -> u64 {
    match bank {
        0 => REDISTRIBUTOR + PRIVATE,
        _ => DISTRIBUTOR,
    }
}

/// Writes `value` to the word of `bank` of a register with a bit for each interrupt.
fn set(bank: u64, register: u64, value: u32) {
    write_word(frame(bank) + register + 4 * bank, value);
}

fn set_priorities(bank: u64, four: u32) {
    for word in 8 * bank..8 * bank + 8 {
        write_word(frame(bank) + PRIORITY + 4 * word, four);
    }
}

/// Resets the interrupts of `bank`: group 1, one priority, disabled, not pending, not active.
fn put_in_order(bank: u64) {
    for register in [GROUP, DISABLE, CLEAR_PENDING, CLEAR_ACTIVE] {
        set(bank, register, u32::MAX);
    }
    set_priorities(bank, 0x8080_8080);
}

/// Leaves the worst state for the code that runs next: all interrupts are enabled, pending, and
/// more urgent than any other.
pub fn leave_all_pending() {
    for bank in 0..BANKS {
        set_priorities(bank, 0);
        set(bank, ENABLE, u32::MAX);
        set(bank, SET_PENDING, u32::MAX);
    }
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
