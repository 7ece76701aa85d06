//! Owns: the assignment of the machine's memory.
//! Must never know: the contents of the memory.

use taktos_abi::vm::layout;

use super::{Error, Place};
use crate::configuration::{Partition, shown_size};

/// The border of stores and channels.
pub(super) const PAGE: u64 = 4096;
/// The border of partitions' memory.
const BLOCK: u64 = 2 << 20;

/// The machine's memory.
pub(super) struct Space {
    /// Places that are in use, by address.
    taken: Vec<Place>,
    end: u64,
}

impl Space {
    /// A machine's memory up to `end`, of which the hypervisor has its own.
    pub fn new(end: u64) -> Self {
        let own = Place {
            at: layout::MACHINE_MEMORY,
            bytes: layout::PARTITIONS - layout::MACHINE_MEMORY,
            what: "the hypervisor, and its description".into(),
        };
        Self {
            taken: vec![own],
            end,
        }
    }

    /// Places each partition's memory: first at the given addresses, then at free ones.
    pub fn partitions(&mut self, partitions: &[Partition]) -> Result<Vec<u64>, Error> {
        for partition in partitions {
            if let Some(at) = partition.address {
                self.take(at, partition.memory, what(partition));
            }
        }
        let mut places = Vec::with_capacity(partitions.len());
        for partition in partitions {
            places.push(match partition.address {
                Some(at) => at,
                None => self.place(partition.memory, BLOCK, what(partition))?,
            });
        }
        Ok(places)
    }

    /// Takes and returns the first free place for this many bytes on such a border.
    pub fn place(&mut self, bytes: u64, border: u64, what: String) -> Result<u64, Error> {
        let mut at = layout::PARTITIONS;
        for place in &self.taken {
            if place.at >= at + bytes {
                break;
            }
            at = at.max((place.at + place.bytes).next_multiple_of(border));
        }
        if at + bytes > self.end {
            return Err(Error::Full {
                what,
                bytes: shown_size(bytes),
            });
        }
        self.take(at, bytes, what);
        Ok(at)
    }

    fn take(&mut self, at: u64, bytes: u64, what: String) {
        let place = self.taken.partition_point(|place| place.at < at);
        self.taken.insert(place, Place { at, bytes, what });
    }

    /// Returns the places that are in use, by address.
    pub fn places(self) -> Vec<Place> {
        self.taken
    }
}

fn what(partition: &Partition) -> String {
    format!("memory of {}", partition.name)
}
