//! Owns: the memory of translation tables, for both stages. Must never know: what they map.

use aarch64_paging::descriptor::{El23Attributes, PagingAttributes, PhysicalAddress};
use aarch64_paging::paging::{PageTable, Translation};
use core::cell::UnsafeCell;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use taktos_abi::vm::Description;

/// The hypervisor's own tables: the root, three below it, four with pages.
const OWN: usize = 12;
/// A partition's tables: the root, one for each gigabyte, and those with pages: channels, and its devices, which may
/// lie across a border of 2 MiB.
const OF_A_PARTITION: usize = 1 + 4 + 1 + 2 * 4;
/// How many tables there are.
const TABLES: usize = OWN + Description::PARTITIONS * OF_A_PARTITION;

struct Memory(UnsafeCell<[PageTable<El23Attributes>; TABLES]>);

// SAFETY: each table is handed out once; then it belongs to the map that asked for it.
unsafe impl Sync for Memory {}

static MEMORY: Memory = Memory(UnsafeCell::new([const { PageTable::EMPTY }; TABLES]));

/// How many tables were handed out.
static USED: AtomicUsize = AtomicUsize::new(0);

/// How many tables are left.
pub(crate) fn left() -> usize {
    TABLES - USED.load(Relaxed)
}

/// Hands tables out. Those that are given back are lost: maps are made once.
pub(crate) struct Pool;

impl<A: PagingAttributes> Translation<A> for Pool {
    fn allocate_table(&mut self) -> (NonNull<PageTable<A>>, PhysicalAddress) {
        let number = USED.fetch_add(1, Relaxed);
        assert!(
            number < TABLES,
            "a memory map needs more tables than there are"
        );
        // SAFETY: within the static, so not null. Tables of both stages have one layout, and zero is empty in both.
        let table =
            unsafe { NonNull::new_unchecked(MEMORY.0.get().cast::<PageTable<A>>().add(number)) };
        (table, PhysicalAddress(table.addr().get()))
    }

    unsafe fn deallocate_table(&mut self, _: NonNull<PageTable<A>>) {}

    fn physical_to_virtual(&self, address: PhysicalAddress) -> NonNull<PageTable<A>> {
        let offset = address.0 - MEMORY.0.get().addr();
        // SAFETY: maps hand in addresses of their own tables only, which lie in the static.
        unsafe { NonNull::new_unchecked(MEMORY.0.get().byte_add(offset).cast()) }
    }
}
