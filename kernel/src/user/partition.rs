//! Owns: partitions: what one is, how it is declared, started, stopped.
//! Must never know: what its threads call.
#![expect(
    unsafe_code,
    reason = "the list of threads is kept without the type of the data; memory of a partition that has no threads"
)]

use super::Handle;
use super::memory::{self, Data, Memory};
use super::restarts::Restarts;
use super::supervisor::{Incident, PendingReport, Supervisor};
use super::thread::{Member, UserThread};
use crate::critical_section::{CriticalSection, Guarded};
#[cfg(feature = "budgets")]
use crate::sched::Account;
use crate::sched::hold;
use crate::thread::tcb::ThreadRef;
use crate::{Error, Kernel, Priority, System};
use core::marker::PhantomData;
use core::mem::offset_of;
use core::ops::Deref;
use core::{ptr, slice};
use taktos_machine::{Access, Isolation, Region, RegionRules};
use taktos_time::Duration;

/// The reaction to a fault of a partition's thread. That thread has ended in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Nothing more.
    StopThread,
    /// The supervisor stops the partition.
    Stop,
    /// The supervisor stops it and starts it again, with the argument 0: within the limit of
    /// [`Partition::restarts`], and not before something is left of its budget. Until then it is
    /// stopped.
    Restart,
}

/// The most regions of a partition on any machine.
const MOST_REGIONS: usize = 8;

/// The limit of restarts in a second of a partition that states none itself.
const USUAL_RESTARTS: u32 = 10;

/// A partition: memory, objects that its threads may name, and these threads, which run without
/// privilege and reach nothing else. `T` are its data. Made to be a static.
#[repr(transparent)]
pub struct Partition<S: System<Machine: Isolation>, T> {
    pub(super) any: AnyPartition<S>,
    data: PhantomData<T>,
}

/// A partition, whatever its data.
///
/// Its beginning is read by the machine's paths: the regions, the table of handles, the fault that
/// was not reported yet.
#[repr(C)]
pub struct AnyPartition<S: System<Machine: Isolation>> {
    map: Guarded<<S::Machine as Isolation>::Map>,
    handles: *const Handle<S>,
    handle_count: usize,
    untold: PendingReport,
    name: &'static str,
    regions: [Region; MOST_REGIONS],
    region_count: usize,
    threads: *const Member<S>,
    thread_count: usize,
    float: bool,
    most_urgent: Priority,
    policy: Policy,
    supervisor: Option<&'static Supervisor<S>>,
    pub(super) restarts: Restarts,
    renew: unsafe fn(*mut u8, usize, *mut u8),
    data_align: usize,
    data_size: usize,
    generation: Guarded<u16>,
    /// The budget, if there is one.
    #[cfg(feature = "budgets")]
    pub(super) account: Option<Account>,
    /// The image that its start loads, if it has one.
    #[cfg(feature = "loaded")]
    pub(super) image: Option<&'static [u8]>,
    /// Whether the data are there: from the first start on, but while they are made new.
    has_data: Guarded<bool>,
    /// The thread that starts it, while one does.
    starter: Guarded<Option<ThreadRef>>,
}

// SAFETY: what changes is reached in sections alone; the rest names statics.
unsafe impl<S: System<Machine: Isolation>> Sync for AnyPartition<S> {}
// SAFETY: as above; it contains no `T`.
unsafe impl<S: System<Machine: Isolation>, T> Sync for Partition<S, T> {}

impl<S: System<Machine: Isolation>, T> Deref for Partition<S, T> {
    type Target = AnyPartition<S>;
    fn deref(&self) -> &AnyPartition<S> {
        &self.any
    }
}

/// Checks that a region of `size` bytes at a multiple of `alignment` can be given to the hardware.
const fn check(rules: RegionRules, size: usize, alignment: usize) {
    assert!(
        size >= rules.smallest,
        "a region is smaller than the hardware knows"
    );
    if rules.powers_of_two {
        assert!(
            size.is_power_of_two(),
            "the hardware knows regions whose sizes are powers of two"
        );
        assert!(
            alignment.is_multiple_of(size),
            "the hardware knows regions that lie at a multiple of their size"
        );
    } else {
        assert!(
            size.is_multiple_of(rules.smallest) && alignment.is_multiple_of(rules.smallest),
            "the hardware knows regions in multiples of its smallest"
        );
    }
}

impl<S: System<Machine: Isolation>, T: Data> Partition<S, T> {
    const RULES: RegionRules = <S::Machine as Isolation>::RULES;

    /// A partition with its own `memory` and `threads`, of which the first one is started with it.
    /// It has no handles, its threads may have any priority and no floating-point unit, and
    /// only a thread that faults ends.
    ///
    /// # Panics
    /// If the memory is no region that the hardware knows, or the data do not fit: for a static,
    /// when it is compiled.
    #[must_use]
    pub const fn new<B>(
        name: &'static str,
        memory: &'static Memory<B>,
        threads: &'static [UserThread<S, T>],
    ) -> Self {
        check(Self::RULES, size_of::<B>(), align_of::<B>());
        assert!(
            align_of::<T>() <= Self::RULES.smallest && size_of::<T>() <= size_of::<B>(),
            "the data do not fit into the memory"
        );
        assert!(!threads.is_empty(), "a partition has a thread");
        const NOWHERE: Region = Region {
            base: ptr::null(),
            size: 0,
            access: Access::Read,
        };
        let mut regions = [NOWHERE; MOST_REGIONS];
        regions[0] = Region {
            base: memory.start(),
            size: size_of::<B>(),
            access: Access::Write,
        };
        Self {
            any: AnyPartition {
                map: Guarded::new(<S::Machine as Isolation>::MAP),
                handles: ptr::null(),
                handle_count: 0,
                untold: PendingReport::new(),
                name,
                regions,
                region_count: 1,
                // A thread of a partition is its member, whatever the data.
                threads: threads.as_ptr().cast(),
                thread_count: threads.len(),
                float: false,
                most_urgent: Priority::from_stored(0),
                policy: Policy::StopThread,
                supervisor: None,
                restarts: Restarts::new(USUAL_RESTARTS, Duration::from_secs(1)),
                renew: memory::renew::<T>,
                data_align: align_of::<T>(),
                data_size: size_of::<T>(),
                generation: Guarded::new(0),
                #[cfg(feature = "budgets")]
                account: None,
                #[cfg(feature = "loaded")]
                image: None,
                has_data: Guarded::new(false),
                starter: Guarded::new(None),
            },
            data: PhantomData,
        }
    }

    /// Sets the handles: the first one is number 0.
    #[must_use]
    pub const fn handles(mut self, handles: &'static [Handle<S>]) -> Self {
        assert!(handles.len() < 1 << 15, "there are too many handles");
        self.any.handles = handles.as_ptr();
        self.any.handle_count = handles.len();
        self
    }

    /// Sets the image that each start loads.
    #[cfg(feature = "loaded")]
    pub(super) const fn with_image(mut self, image: &'static [u8]) -> Self {
        self.any.image = Some(image);
        self
    }

    const fn with(mut self, region: Region) -> Self {
        let count = self.any.region_count;
        assert!(
            count < Self::RULES.most && count < MOST_REGIONS,
            "the hardware has fewer regions for a partition"
        );
        self.any.regions[count] = region;
        self.any.region_count = count + 1;
        self
    }

    /// Adds a memory that others may have, too, to be used as `access` says.
    ///
    /// # Panics
    /// If it is no region that the hardware knows, or one too many: for a static, when it is
    /// compiled.
    #[must_use]
    pub const fn shared<B>(self, memory: &'static Memory<B>, access: Access) -> Self {
        check(Self::RULES, size_of::<B>(), align_of::<B>());
        self.with(Region {
            base: memory.start(),
            size: size_of::<B>(),
            access,
        })
    }

    /// Adds the registers of a device, the `size` bytes at `base`. Panics as [`Partition::shared`].
    #[must_use]
    pub const fn device(self, base: usize, size: usize) -> Self {
        let alignment = 1 << base.trailing_zeros();
        check(Self::RULES, size, alignment);
        self.with(Region {
            base: ptr::without_provenance(base),
            size,
            access: Access::Device,
        })
    }

    /// Allows the threads to use the floating-point unit.
    ///
    /// # Panics
    /// If the machine has none for partitions: for a static, when it is compiled.
    #[must_use]
    pub const fn float(mut self) -> Self {
        assert!(
            <S::Machine as Isolation>::FLOAT,
            "this machine has no floating-point unit for partitions"
        );
        self.any.float = true;
        self
    }

    /// Limits the priorities that the threads can give themselves: none is above `level`.
    ///
    /// # Panics
    /// If `level` is above 31: for a static, when it is compiled.
    #[must_use]
    pub const fn most_urgent(mut self, level: u8) -> Self {
        assert!(
            level < Priority::COUNT as u8,
            "priorities are 0 (most urgent) to 31"
        );
        self.any.most_urgent = Priority::from_stored(level);
        self
    }

    /// Sets the supervisor, which is notified of the partition's faults, and does as `policy` says.
    #[must_use]
    pub const fn supervised(mut self, policy: Policy, supervisor: &'static Supervisor<S>) -> Self {
        self.any.policy = policy;
        self.any.supervisor = Some(supervisor);
        self
    }

    /// Sets the limit of restarts: the supervisor starts the partition again at most `most` times
    /// in each `period`; 10 times in a second by default. A period begins with the first restart
    /// after the end of the last one, so that in any time of its length there are no more than
    /// twice as many. A restart beyond that waits for the period's end. Restarts that the program
    /// requests itself do not count. In a period of zero there may be any number.
    ///
    /// # Panics
    /// If `most` is zero: for a static, when it is compiled. [`Policy::Stop`] is the one without
    /// restarts.
    #[must_use]
    pub const fn restarts(mut self, most: u32, period: Duration) -> Self {
        assert!(most > 0, "a partition is started anew once at least");
        self.any.restarts = Restarts::new(most, period);
        self
    }
}

impl<S: System<Machine: Isolation>, T: Data> Partition<S, T> {
    /// Reads the data, which its threads may be changing, and which stay when they have ended. In a
    /// thread that is in no partition, or a handler; interrupts are masked meanwhile. Bound: that
    /// of `look`.
    ///
    /// Errors: `State` if the partition was never started, or is being started.
    pub fn look_at<R>(&'static self, look: impl FnOnce(&T) -> R) -> Result<R, Error> {
        let held = hold::<S>();
        if !self.any.has_data.get(held.section()) {
            return Err(Error::State);
        }
        // SAFETY: made there by `start_with`, and `Sync`; they are not made new in this section.
        Ok(look(unsafe {
            &*ptr::with_exposed_provenance(self.any.data())
        }))
    }
}

impl<S: System<Machine: Isolation>> AnyPartition<S> {
    /// The place of the table of handles, and of the fault after it, as the machines' paths know
    /// it.
    const PLACE: () = assert!(
        offset_of!(Self, handles) == size_of::<<S::Machine as Isolation>::Map>()
            && offset_of!(Self, handle_count) == offset_of!(Self, handles) + size_of::<usize>()
            && offset_of!(Self, untold) == offset_of!(Self, handles) + 2 * size_of::<usize>(),
        "the table of handles, or the fault, does not lie behind the map"
    );

    /// The partition's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How often the partition was started, modulo 65,535, from 1; 0 before. Bound: fixed. Allowed
    /// everywhere.
    pub fn generation(&self) -> u16 {
        self.generation.get(hold::<S>().section())
    }

    pub(super) fn generation_in(&self, cs: CriticalSection<'_>) -> u16 {
        self.generation.get(cs)
    }

    /// Returns the reaction to a fault of a thread.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    pub(super) fn supervisor(&self) -> Option<&'static Supervisor<S>> {
        self.supervisor
    }

    pub(super) fn untold(&self) -> &PendingReport {
        &self.untold
    }

    pub(super) fn most_urgent_level(&self) -> Priority {
        self.most_urgent
    }

    /// The partition of `thread`, which is one of a partition and was created.
    pub(super) fn of_thread(cs: CriticalSection<'_>, thread: ThreadRef) -> &'static Self {
        let partition = S::Machine::partition_of(thread.machine_part(cs));
        // SAFETY: only `Member::prepare` gives partitions to the machine, and it gives a `&'static`
        // one.
        unsafe { &*partition.cast() }
    }

    pub(super) fn members(&self) -> &'static [Member<S>] {
        // SAFETY: made from a slice of that length, with items that are transparent members.
        unsafe { slice::from_raw_parts(self.threads, self.thread_count) }
    }

    pub(super) fn regions(&'static self) -> &'static [Region] {
        &self.regions[..self.region_count]
    }

    /// The table of handles.
    pub(super) fn table(&self) -> &'static [Handle<S>] {
        match self.handle_count {
            0 => &[],
            // SAFETY: made from a `&'static` slice of that length.
            count => unsafe { slice::from_raw_parts(self.handles, count) },
        }
    }

    fn memory(&self) -> usize {
        self.regions[0].base.expose_provenance()
    }

    /// Returns the address of the data: after the stacks.
    pub(super) fn data(&self) -> usize {
        let stacks: usize = self.members().iter().map(Member::stack).sum();
        (self.memory() + stacks).next_multiple_of(self.data_align)
    }

    /// Starts the partition: its memory is cleared, its data are new, its threads exist, and the
    /// first one runs with the argument 0. In a thread that is in no partition, at the [partition's
    /// cost](Self::at_its_cost). Bound: the memory and the threads, with interrupts masked for one
    /// thread at a time.
    ///
    /// Errors: `State` if one of its threads exists, or another thread is just starting it;
    /// `Parameter` if its image cannot be loaded, and nothing is changed; `NoMemory` if stacks
    /// and data do not fit, or the hardware cannot have one more partition or such regions.
    pub fn start(&'static self) -> Result<(), Error> {
        self.start_with(0)
    }

    /// [`AnyPartition::start`], but the first thread gets `argument`.
    pub fn start_with(&'static self, argument: usize) -> Result<(), Error> {
        self.at_its_cost(|| self.as_starter(|| self.begin(argument)))
    }

    /// Runs `start` in the calling thread alone: others that start the partition meanwhile get
    /// `State`.
    fn as_starter<R>(&self, start: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
        let () = Self::PLACE;
        self.claim()?;
        let started = start();
        self.starter.set(hold::<S>().section(), None);
        started
    }

    /// Stops the partition and starts it again for the fault that was not reported yet, and which
    /// this reports. None if another thread has reported it.
    pub(super) fn restart_for_fault(&'static self) -> Result<Option<Incident<S>>, Error> {
        let restart = || {
            self.stop();
            let Some(incident) = self.take_incident() else {
                return Ok(None);
            };
            self.restarts
                .note(hold::<S>().section(), Kernel::<S>::now());
            self.begin(0).map(|()| Some(incident))
        };
        self.at_its_cost(|| self.as_starter(restart))
    }

    /// Makes the calling thread the only one that starts the partition: nothing is cleared before.
    /// A thread that was ended in the midst of a start starts nothing any more.
    fn claim(&self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        let current = Kernel::<S>::running().current(cs);
        let is_at_it = |starter: &ThreadRef| *starter != current && starter.was_started(cs);
        if self.starter.get(cs).as_ref().is_some_and(is_at_it) {
            return Err(Error::State);
        }
        self.starter.set(cs, Some(current));
        Ok(())
    }

    fn begin(&'static self, argument: usize) -> Result<(), Error> {
        let members = self.members();
        if self.exists() {
            return Err(Error::State);
        }
        let (base, data) = (self.memory(), self.data());
        if data + self.data_size > base + self.regions[0].size {
            return Err(Error::NoMemory);
        }
        #[cfg(feature = "loaded")]
        let program = self.program().map_err(|_| Error::Parameter)?;
        // A thread that has ended may still write where a processor has not left it.
        for member in members {
            drop(Kernel::<S>::hold_off_processors(
                member.thread().reference(),
            )?);
        }
        S::Machine::isolate();
        let map = S::Machine::map(self.regions(), self.float).ok_or(Error::NoMemory)?;
        self.set_has_data(false);
        // SAFETY: no thread exists that has this memory, and the data's place was just looked at.
        unsafe {
            (self.renew)(
                ptr::with_exposed_provenance_mut(base),
                self.regions[0].size,
                ptr::with_exposed_provenance_mut(data),
            );
        }
        #[cfg(feature = "loaded")]
        self.load(program);
        self.set_has_data(true);
        self.begin_generation(map);
        let mut stack = base;
        for member in members {
            member.create(self, stack)?;
            stack += member.stack();
        }
        members[0].start(self, argument)
    }

    fn set_has_data(&self, has: bool) {
        self.has_data.set(hold::<S>().section(), has);
    }

    fn begin_generation(&'static self, map: <S::Machine as Isolation>::Map) {
        let held = hold::<S>();
        let cs = held.section();
        self.map.set(cs, map);
        // 0 says "any" in handles.
        let next = match self.generation.get(cs) {
            u16::MAX => 1,
            generation => generation + 1,
        };
        self.generation.set(cs, next);
        self.untold.outlive(cs);
    }

    /// Stops the partition: none of its threads exists any more. Mutexes that they owned are handed
    /// on; threads that wait for one of them, for a message or a reply, get `Deleted`; blocks that
    /// it holds are given back, the interrupts of its devices masked. In a thread that is in no
    /// partition, at the [partition's cost](Self::at_its_cost).
    /// Bound: for each thread that of [`AnyThread::delete`](crate::AnyThread::delete); its handles,
    /// and the blocks of each pool among them.
    pub fn stop(&'static self) {
        self.at_its_cost(|| {
            for member in self.members() {
                // One that does not exist is as good as deleted.
                let _ = member.thread().delete();
            }
            self.close_lines();
            self.give_blocks_back();
        });
    }

    /// Whether one of its threads exists.
    pub(super) fn exists(&self) -> bool {
        self.members().iter().any(|member| {
            let held = hold::<S>();
            member.thread().reference().exists(held.section())
        })
    }

    /// [`AnyPartition::stop`], then [`AnyPartition::start`]. Errors: those of the latter.
    pub fn restart(&'static self) -> Result<(), Error> {
        self.stop();
        self.start()
    }

    /// [`AnyPartition::restart`] with [`AnyPartition::start_with`].
    pub fn restart_with(&'static self, argument: usize) -> Result<(), Error> {
        self.stop();
        self.start_with(argument)
    }

    /// Whether the `length` bytes at `address` lie in one region of memory, in which they may be
    /// read, or written if `writes` says so. Registers of a device are none: the kernel does
    /// not touch them for a thread, which could choose an access that they answer with a fault.
    pub(super) fn may_use(&'static self, address: usize, length: usize, writes: bool) -> bool {
        self.regions().iter().any(|region| {
            let distance = address.wrapping_sub(region.base.addr());
            let allows = match region.access {
                Access::Read | Access::Execute => !writes,
                Access::Write => true,
                Access::Device => false,
            };
            allows && length <= region.size && distance <= region.size - length
        })
    }
}
