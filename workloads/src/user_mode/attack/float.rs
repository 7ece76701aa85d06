//! Threads with floating-point values that fault: their registers are reported correctly, and no
//! thread finds the values afterwards.
//!
//! Owns: what such a thread does, which threads look for its values, what must come of it. Must
//! never know: an instruction.

use super::outside::{FLOAT, keep_registers};
use super::{AttackBoard, Objects, Told, calls_of, checked, failed, role, wait_until};
use core::cell::Cell;
use taktos_kernel::fault::print;
use taktos_kernel::user::Partition;
use taktos_machine::{Cause, Isolation, UserFault};

const VALUE: usize = 0x7A57_F10A;
/// How long it has them before, in rounds: that is several turns, between which they are saved.
const ROUNDS: usize = 4_000;
/// Bytes of the stack pointer below a multiple of eight.
const GAPS: [usize; 2] = [0, 4];

/// The faults; after each its own partition in its next life checks the registers, and another one.
pub(super) fn check<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    let there = FLOAT.filter(|_| <S::Machine as Isolation>::FLOAT);
    let Some(float) = there else { return true };
    let mut passed = true;
    for gap in GAPS {
        let begun = objects.second.restart_with(role::FLOAT_FAULT | gap);
        let came = fault_of(objects.second);
        let is_right = came.is_some_and(|came| {
            came.cause == Cause::DataAccess && (float.are_right)(&came.registers)
        });
        passed &= checked::<S>("it starts", begun.is_ok())
            & checked::<S>("registers beside floating-point values are told", is_right);
        for partition in [objects.fourth, objects.second] {
            let begun = partition.restart_with(role::FLOAT_LOOK);
            let looked = || calls_of(partition) == Ok(1);
            passed &= checked::<S>("it starts", begun.is_ok())
                & checked::<S>("another life looks", wait_until::<S>(looked))
                & checked::<S>("no floating-point value leaks", !failed(partition));
            partition.stop();
        }
    }
    print::<S>(format_args!(
        "{} faults with floating-point values\n",
        GAPS.len()
    ));
    passed
}

/// Returns the fault by which its thread ends.
fn fault_of<S: AttackBoard>(partition: &'static Partition<S, Told>) -> Option<UserFault> {
    let came = Cell::new(None);
    wait_until::<S>(|| {
        let fault = partition.take_incident().map(|incident| incident.fault);
        let has_come = fault.is_some();
        came.set(fault);
        has_come
    });
    came.take()
}

/// Keeps the values for a while, and faults.
pub(super) fn fault(gap: usize) {
    let Some(float) = FLOAT else { return };
    keep_registers(VALUE, ROUNDS, true);
    (float.fault)(VALUE, gap);
}

/// Looks for the values.
pub(super) fn look(told: &'static Told) {
    let finds = FLOAT.is_some_and(|float| (float.finds)(VALUE));
    told.demand(!finds);
    told.count();
}
