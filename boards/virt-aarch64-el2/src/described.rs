//! Owns: descriptions of guests that are part of an image. An image takes this file as a module.
//! Must never know: what they do.

use core::ops::Range;
use taktos_abi::vm::{Channel, End, Linkage, Partition, Segment, layout};

/// Memory of each guest: the image's addresses are within it.
const BYTES: u64 = 0x40_0000;

/// Partition `index`, of one VCPU of the same number, with `code` in its memory where it is in the
/// image.
pub fn partition(index: usize, entry: u64, code: Range<u64>) -> Partition {
    let mut partition = Partition {
        first_vcpu: index as u8,
        vcpus: 1,
        memory: layout::PARTITIONS + index as u64 * BYTES,
        bytes: BYTES,
        entry,
        console: true,
        segment_count: 1,
        ..Partition::EMPTY
    };
    partition.name[0] = b'a' + index as u8;
    partition.segments[0] = Segment {
        store: code.start,
        bytes: code.end - code.start,
        at: code.start,
    };
    partition
}

/// A channel between the first two partitions, which see its memory.
pub fn channel() -> Channel {
    Channel {
        memory: layout::PARTITIONS + 8 * BYTES,
        bytes: 0x1000,
        ends: [0, 1].map(|partition| End {
            partition,
            linkage: Linkage::Memory,
        }),
    }
}
