//! Owns: a plan as people read it.
//! Must never know: the making of the plan.

use std::fmt::Write;

use super::Plan;
use crate::configuration::shown_size;

impl Plan {
    /// Returns the places in the machine's memory, a line each, by address.
    #[must_use]
    pub fn map(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        for place in &self.places {
            let (at, last) = (place.at, place.at + place.bytes - 1);
            let size = shown_size(place.bytes);
            let _ = writeln!(
                text,
                "  {at:#011x} - {last:#011x}  {size:>12}  {}",
                place.what
            );
        }
        text
    }

    /// Returns the places in each guest's space, a line each.
    #[must_use]
    pub fn guest_map(&self) -> String {
        let mut text = String::new();
        for (name, partition) in self.names.iter().zip(self.description.partitions()) {
            let (entry, argument) = (partition.entry, partition.argument);
            let _ = writeln!(
                text,
                "  {name}: starts at {entry:#x}, device tree at {argument:#x}"
            );
            for segment in partition.segments() {
                let (at, size) = (segment.at, shown_size(segment.bytes));
                let store = segment.store;
                let _ = writeln!(text, "    {at:#x}  {size:>12}  from {store:#x}");
            }
        }
        text
    }
}
