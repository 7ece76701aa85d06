//! Owns: how a world that shows a difference is made small.

use super::operation::World;
use super::run::compare;

/// How many smaller worlds are tried.
const PATIENCE: usize = 3_000;

/// A world that still shows a difference, and from which hardly any operation can be left out.
pub fn shrink(world: &World) -> World {
    let mut small = world.clone();
    let mut tries = PATIENCE;
    cut(&mut small);
    let mut length = small.operations.len().div_ceil(2);
    while length > 0 && tries > 0 {
        let mut from = 0;
        let mut shrunk = false;
        while from < small.operations.len() && tries > 0 {
            tries -= 1;
            let mut candidate = small.clone();
            let end = (from + length).min(candidate.operations.len());
            candidate.operations.drain(from..end);
            if cut(&mut candidate) {
                small = candidate;
                shrunk = true;
            } else {
                from += length;
            }
        }
        if !shrunk || length > 1 {
            length /= 2;
        }
    }
    small
}

/// Cuts off what comes after the difference; says whether there is one.
fn cut(world: &mut World) -> bool {
    match compare(world) {
        Ok(()) => false,
        Err(difference) => {
            world.operations.truncate(difference.after);
            true
        }
    }
}
