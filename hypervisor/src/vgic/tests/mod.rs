//! Owns: the tests of the virtual interrupt controller: against a processor's virtual interface
//! that is modelled here ([`interface`]) and a naive controller ([`naive`]).
//! Must never know: anything of the controller that its callers do not see.

mod access;
mod boot;
mod compare;
mod interface;
mod late;
mod lists;
mod naive;
mod random;
mod system;

use super::{Effects, Frame, VirtualGic};

/// A guest's read, or its write if there is a value: the value that is read, and the effects.
fn access(
    gic: &mut VirtualGic,
    frame: Frame,
    offset: u64,
    size: usize,
    write: Option<u64>,
) -> (u64, Effects) {
    match write {
        None => (gic.read(frame, offset, size), Effects::NONE),
        Some(value) => (0, gic.write(frame, offset, size, value)),
    }
}
