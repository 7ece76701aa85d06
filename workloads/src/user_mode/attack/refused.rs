//! Partitions that do not start: there is nothing at the address of one of their regions.
//!
//! Owns: how many there are; that they take nothing from others, however often they are tried. Must
//! never know: what a map is made of.

use super::outside::UNMAPPED;
use super::{AttackBoard, Objects, Told, checked};
use crate::user_mode::MEMORY;
use taktos_kernel::Error;
use taktos_kernel::fault::print;
use taktos_kernel::user::Partition;

/// More than there can be partitions; none where each region can be given to the hardware.
pub const COUNT: usize = match UNMAPPED {
    Some(_) => 20,
    None => 0,
};

/// Returns the partition with such a region after its others.
pub const fn without_map<S: AttackBoard>(partition: Partition<S, Told>) -> Partition<S, Told> {
    match UNMAPPED {
        Some(place) => partition.device(place, MEMORY),
        None => partition,
    }
}

/// Tries one after another, and says whether each was refused, and others start then.
pub(super) fn check<S: AttackBoard>(objects: &'static Objects<S>, starts: u32) -> bool {
    let mut tried = 0;
    let partitions = objects.refused.iter().cycle().take(starts as usize);
    let refused = partitions
        .inspect(|_| tried += 1)
        .all(|partition| partition.start() == Err(Error::NoMemory));
    print::<S>(format_args!("{tried} starts without a map\n"));
    let begun = objects.third.start();
    objects.third.stop();
    checked::<S>("what has no map does not start", refused)
        & checked::<S>("another partition starts then", begun.is_ok())
}
