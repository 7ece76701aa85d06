//! The sizes that a heap can give, against the allocator.

use super::Memory;
use super::free::FreeMemory;
use super::size::{UNIT, fits, largest, whole};
use crate::critical_section::alone;
use core::alloc::Layout;
use core::ptr::NonNull;
use proptest::prelude::*;
use std::boxed::Box;

/// Free memory of `bytes` bytes, aligned as that of a heap.
fn filled(bytes: usize) -> FreeMemory {
    const MOST: usize = 1 << 16;
    let memory: &'static mut Memory<MOST> = Box::leak(Box::new(Memory([0; MOST])));
    let free = FreeMemory::new();
    let first = NonNull::from(memory).cast();
    // SAFETY: the memory is leaked, and nothing else has its address.
    unsafe { free.fill(alone(), NonNull::slice_from_raw_parts(first, bytes)) };
    free
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn empty_heap_gives_what_fits(
        bytes in 2 * UNIT..1 << 13,
        size in 0usize..1 << 13,
        shift in 0u32..12,
    ) {
        let layout = Layout::from_size_align(size, 1 << shift).unwrap();
        let taken = filled(bytes).take(alone(), layout);
        prop_assert_eq!(taken.is_some(), fits(layout, whole(bytes)));
    }
}

#[test]
fn every_size_near_the_limit_agrees() {
    for bytes in [2 * UNIT, 2 * UNIT + 1, 3 * UNIT, 1000, 1024, 4096, 5000] {
        let sizes = 0..bytes + UNIT;
        let fitting = |size: &usize| {
            fits(
                Layout::from_size_align(*size, UNIT / 2).unwrap(),
                whole(bytes),
            )
        };
        assert_eq!(
            sizes.clone().filter(fitting).max(),
            Some(largest(whole(bytes)))
        );
        for size in sizes {
            let layout = Layout::from_size_align(size, 8).unwrap();
            let taken = filled(bytes).take(alone(), layout);
            assert_eq!(
                taken.is_some(),
                fits(layout, whole(bytes)),
                "{size} of {bytes}"
            );
        }
    }
}

#[test]
fn the_largest_layouts_do_not_overflow() {
    let greatest = isize::MAX as usize;
    for shift in 0..usize::BITS {
        let align = 1usize << shift;
        for size in [0, (greatest + 1).saturating_sub(align)] {
            if let Ok(layout) = Layout::from_size_align(size, align) {
                assert!(!fits(layout, 0));
            }
        }
    }
}
