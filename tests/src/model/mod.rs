//! A naive model of the kernel, and random runs that compare the kernel with it.
//!
//! Owns: the required behaviour of the kernel, written down as plainly as possible: plain lists,
//! everything computed again at each step; the operations that a random run is made of; the
//! comparison. Must never know: how the kernel does it.

mod act;
mod answer;
mod kernel;
mod messages;
mod mutex;
mod operation;
mod random;
mod run;
mod shrink;
mod thread;

pub use operation::{Operation, Wait, World};
pub use run::{Difference, compare};
pub use shrink::shrink;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Seed of the world that runs at present, for observers that check whether a run still continues.
pub static PRESENT_WORLD: AtomicU64 = AtomicU64::new(0);

/// Compares the kernel with the model in random worlds made from `seed`, `operations` operations
/// in all; gives the number of worlds. On a difference: a report with the seed and a shrunk list of
/// operations.
///
/// # Errors
/// The report.
pub fn random_run(seed: u64, operations: usize) -> Result<usize, String> {
    let mut left = operations;
    let mut worlds = 0;
    while left > 0 {
        PRESENT_WORLD.store(seed.wrapping_add(worlds), Relaxed);
        let mut random = random::Random::new(seed.wrapping_add(worlds));
        let world = World::random(&mut random, left);
        left -= world.operations.len();
        if let Err(difference) = compare(&world) {
            return Err(report(seed.wrapping_add(worlds), &world, &difference));
        }
        worlds += 1;
    }
    Ok(worlds as usize)
}

fn report(seed: u64, world: &World, first: &Difference) -> String {
    let world = shrink(world);
    let difference = compare(&world).err();
    let difference = difference.as_ref().unwrap_or(first);
    format!(
        "the kernel differs from the model; seed of the world: {seed}\n{difference}\nafter the operations (shrunk):\n{world}"
    )
}
