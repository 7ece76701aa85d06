//! Owns: attacks by two virtual processors: one stops the partition while the other one is on its
//! way into the hypervisor.

use super::{Attack, wrong};
use crate::processor::{Conduit, call, counter, ticks_of_millis};
use crate::touch;
use core::arch::naked_asm;
use core::sync::atomic::{AtomicU64, Ordering::SeqCst};
use taktos_abi::vm::layout;
use taktos_kernel::fault::print;
use virt_aarch64_guest::{Board, power};

/// CPU_ON (PSCI, Arm DEN0022).
const PROCESSOR_ON: u64 = 0xC400_0003;
/// Nothing is there.
const NOWHERE: u64 = 0x3000_0000;

/// Whether the other processor runs, and whether it is to leave.
static UP: AtomicU64 = AtomicU64::new(0);
static GO: AtomicU64 = AtomicU64::new(0);

/// Line that the other processor prints if it continues after its wait; it was entering that wait
/// when its partition was stopped.
static TOLD: [u8; 52] = *b"\n@wrong a processor of a stopped partition goes on\n\0";

/// Runs on the other processor, without a map and without a stack: lets its timer come soon, waits
/// until `GO` is set, and suspends itself. If that returns, prints the line again and again.
#[unsafe(naked)]
extern "C" fn other() {
    naked_asm!(
        "mrs x2, cntfrq_el0",
        "lsr x2, x2, #9",
        "mrs x3, cntvct_el0",
        "add x3, x3, x2",
        "msr cntv_cval_el0, x3",
        "mov x3, #1",
        "msr cntv_ctl_el0, x3",
        "isb",
        "adrp x1, {up}",
        "str x3, [x1, :lo12:{up}]",
        "adrp x1, {go}",
        "1: ldr x2, [x1, :lo12:{go}]",
        "cbz x2, 1b",
        "movz w0, #1",
        "movk w0, #0xC400, lsl #16",
        "hvc #0",
        "movz x1, #{console}, lsl #16",
        "2: adrp x2, {told}",
        "add x2, x2, :lo12:{told}",
        "3: ldrb w3, [x2], #1",
        "cbz w3, 4f",
        "str w3, [x1]",
        "b 3b",
        "4: movz x3, #200, lsl #16",
        "5: subs x3, x3, #1",
        "b.ne 5b",
        "b 2b",
        up = sym UP,
        go = sym GO,
        told = sym TOLD,
        console = const layout::CONSOLE >> 16,
    )
}

pub fn reset_while_another_leaves(_: &mut Attack<'_>) {
    start();
    power::reset()
}

pub fn fault_while_another_leaves(_: &mut Attack<'_>) {
    start();
    touch::jump(NOWHERE);
}

/// Starts the other processor, and lets it leave at the instant of the return.
fn start() {
    print::<Board>(format_args!("@hostile begins\n"));
    let entry = (other as extern "C" fn()) as usize as u64;
    let answer = call(Conduit::Hypervisor, [PROCESSOR_ON, 1, entry, 0, 0, 0, 0, 0]);
    if answer != 0 {
        wrong(format_args!("call=CPU_ON answer={:#x}", answer as i64));
    }
    let patience = counter() + ticks_of_millis(1);
    while UP.load(SeqCst) == 0 {
        if counter() > patience {
            return wrong(format_args!("the other processor does not begin"));
        }
    }
    GO.store(1, SeqCst);
}
