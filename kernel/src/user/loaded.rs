//! Owns: partitions with programs that are executables of the format ELF, built by themselves and
//! loaded at each start. Must never know: the format (`taktos-elf` does); how a processor comes to
//! execute what was written.
#![expect(
    unsafe_code,
    reason = "memory of a partition that has no threads; its threads begin at an address that its image names"
)]

use super::{AnyPartition, Data, Memory, Partition, UserThread};
use crate::System;
use core::mem::transmute;
use core::ptr::{copy_nonoverlapping, with_exposed_provenance_mut, write_bytes};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
pub use taktos_elf::Error as ImageError;
use taktos_elf::{Program, Room, Target, Use};
use taktos_machine::{Access, Isolation, Region};

/// The kernel's data in the memory of a partition with a loaded program, between the stacks and the
/// program's own data.
pub struct Loaded {
    entry: AtomicUsize,
}

impl Data for Loaded {
    const NEW: Self = Self {
        entry: AtomicUsize::new(0),
    };
}

impl Loaded {
    /// Runs the thread number `NUMBER` of such a partition: the program's entry, which has the C
    /// convention, gets the number and the argument with which the thread is started, and does not
    /// return.
    pub extern "C" fn thread<const NUMBER: usize>(&'static self, argument: usize) -> ! {
        let entry = self.entry.load(Relaxed);
        // SAFETY: without privilege, where an address of whatever is a fault of this thread's at
        // the worst.
        let entry = unsafe { transmute::<usize, extern "C" fn(usize, usize) -> !>(entry) };
        entry(NUMBER, argument)
    }
}

impl<S: System<Machine: Isolation>> Partition<S, Loaded> {
    /// A partition as [`Partition::new`] makes it, but of the program `image`: an executable of the
    /// format ELF, linked at fixed addresses, for this architecture. Each start loads it: what it
    /// executes into `code`, which its threads may execute and read; what it writes into `memory`,
    /// after the stacks and a word at a multiple of its size; its constants into either. Its
    /// threads run [`Loaded::thread`].
    ///
    /// # Panics
    /// As [`Partition::new`] and [`Partition::shared`], and where the machine has no regions to
    /// execute: for a static, when it is compiled.
    #[must_use]
    pub const fn loaded<C, B>(
        name: &'static str,
        image: &'static [u8],
        code: &'static Memory<C>,
        memory: &'static Memory<B>,
        threads: &'static [UserThread<S, Loaded>],
    ) -> Self {
        assert!(
            S::Machine::PROGRAMS.is_some(),
            "this machine has no regions of a partition that could be executed"
        );
        Self::new(name, memory, threads)
            .shared(code, Access::Execute)
            .with_image(image)
    }
}

impl<S: System<Machine: Isolation>> AnyPartition<S> {
    /// Checks the partition's image. Returns the error for which [`AnyPartition::start`] returns
    /// `Parameter`. Bound: the segments that an image may have. Allowed everywhere.
    pub fn check_image(&'static self) -> Result<(), ImageError> {
        self.program().map(drop)
    }

    /// The partition's program, if it is one that is loaded.
    pub(super) fn program(&'static self) -> Result<Option<Program<'static>>, ImageError> {
        let (Some(image), Some(machine)) = (self.image, S::Machine::PROGRAMS) else {
            return Ok(None);
        };
        let target = Target {
            is_64: usize::BITS == 64,
            machine,
        };
        let [memory, code] = [0, 1].map(|number: usize| self.regions()[number]);
        let data = self.data() + size_of::<Loaded>();
        let end = memory.base.addr() + memory.size;
        let room = |base: usize, size: usize, usage| Room {
            base: base as u64,
            size: size as u64,
            usage,
        };
        let rooms = [
            room(data, end.saturating_sub(data), Use::Write),
            room(code.base.addr(), code.size, Use::Execute),
        ];
        Program::read(image, target, &rooms).map(Some)
    }

    /// Copies the segments of `program` to where they belong, in memory that is clear, and clears
    /// the memory of its code before.
    pub(super) fn load(&'static self, program: Option<Program<'static>>) {
        let Some(program) = program else { return };
        let Region { base, size, .. } = self.regions()[1];
        let code = base.expose_provenance();
        // SAFETY: no thread exists that has this memory, in which all segments lie.
        unsafe {
            write_bytes(with_exposed_provenance_mut::<u8>(code), 0, size);
            for segment in program.segments() {
                let place = with_exposed_provenance_mut(segment.address as usize);
                copy_nonoverlapping(segment.bytes.as_ptr(), place, segment.bytes.len());
            }
            (*with_exposed_provenance_mut::<Loaded>(self.data()))
                .entry
                .store(program.entry() as usize, Relaxed);
        }
        S::Machine::code_was_written(code, size);
    }
}
