//! Owns: all that the hypervisor remembers, and how a machine begins.
//! Must never know: how the parts below do their work.
//!
//! Its parts: `shared` (what needs no lock of the hypervisor), `own` (exits without it), `exits`
//! (the reasons of exits), `screen` (the console's lines), `interrupts` (physical ones), `switch`
//! (the choice of the running VCPU), `life` (start, stop and restart of partitions), `devices`
//! (accesses to emulated devices), `undescribed` (accesses that the processor does not describe),
//! `registers` (trapped system registers), `calls` (hypercalls and PSCI), `waiting` (WFI, and what
//! ends it).

mod calls;
mod devices;
mod exits;
mod interrupts;
mod life;
mod own;
mod registers;
mod screen;
mod shared;
mod switch;
mod undescribed;
mod waiting;

pub use life::Stopped;
pub use own::Rest;
use screen::Said;
pub use shared::Shared;

use crate::channel::Link;
use crate::console::Multiplexer;
use crate::hardware::{Hardware, Kind, MapError, Next};
use crate::memory::{self, Memory};
use crate::table::{Table, at};
use crate::timers::{Timer, Timers};
use core::mem::offset_of;
use screen::Screen;
use taktos_abi::layout::VCPU_ABLE;
use taktos_abi::vm::{self, Description, OnStop, Policy, Wait, layout};
use taktos_schedule::Cpu;
use taktos_schedule::CpuSet;
use taktos_schedule::vcpu::pool::{AnyPolicy, FixedPools, Pool, PoolEffects, Routed};
use taktos_schedule::vcpu::{Admission, Domain, Error, Timer as PolicyTimer, Vcpu, Violation};
use taktos_time::{Duration, Instant};

const CPUS: usize = Description::CPUS;
const VCPUS: usize = Description::VCPUS;
const PARTITIONS: usize = Description::PARTITIONS;
const CHANNELS: usize = Description::CHANNELS;

/// Whether a VCPU can run. The byte at the beginning is looked at from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Condition {
    /// It has not been switched on.
    Off = 0,
    /// It waits for an interrupt, off its processor.
    Waiting = 1,
    /// It can run, or runs.
    Able = VCPU_ABLE,
    /// It can run. Before its guest does, its partition's memory is cleared (segment 0), and the
    /// image is copied (from segment 1 on). That continues with this byte.
    Loading { segment: u8, done: u64 } = VCPU_ABLE + 1,
}

/// The emulated physical timer of a VCPU.
#[derive(Clone, Copy, Default)]
struct PhysicalTimer {
    control: u64,
    compare: u64,
}

impl PhysicalTimer {
    /// It is enabled, and not masked.
    fn is_on(&self) -> bool {
        self.control & 3 == 1
    }
}

/// A virtual processor.
struct VcpuState {
    partition: u8,
    /// Its number in its partition.
    number: u8,
    condition: Condition,
    /// The processor that it is loaded in.
    on: Option<u8>,
    /// More is done when it is loaded and taken off than for others: it has devices, its emulated
    /// physical timer is on, or its memory is filled.
    attended: bool,
    physical: PhysicalTimer,
}

/// Phase of a partition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Runs,
    /// Its VCPUs are being taken off their processors; then it is off, or starts again.
    Stopping {
        again: bool,
    },
    Stopped,
}

/// A partition.
struct Partition {
    phase: Phase,
    /// How often it may still be started again after a fault, and after a reset.
    restarts: [u32; 2],
    /// The processor to which the interrupts of its devices come; none: they are masked.
    home: Option<usize>,
    said: Said,
}

/// A processor.
#[derive(Clone, Copy)]
struct Processor {
    /// The VCPU that is loaded, if its exits are carried out: none when it was put off.
    heard: Option<usize>,
    /// The hardware timer is set to this.
    alarm: Option<Instant>,
    /// The choice of the VCPU that is loaded is over then.
    until: Option<Instant>,
    /// Timers that were due then are still to be served.
    pass: Option<Instant>,
    /// The VCPU of each partition that was loaded last.
    last: [u8; PARTITIONS],
    /// The partition that was loaded last.
    owner: u8,
}

/// No VCPU of a partition, or of any, has been loaded yet.
const NOBODY: u8 = u8::MAX;

/// Work of a processor before its guest resumes: it has to choose again.
const CHOOSE: u8 = 1;
/// It has more timers to serve before.
const MORE: u8 = 2;
/// The memory of the partition that is loaded there is filled, after both.
const FILL: u8 = 4;

/// Requests of policies and parts to processors and timers.
struct World<H: Hardware> {
    timers: Timers,
    /// Work of processors before their guests resume: [`CHOOSE`], [`MORE`], [`FILL`].
    due: Table<u8, CPUS>,
    /// The processor that acts.
    here: usize,
    shared: &'static Shared<H>,
}

impl<H: Hardware> World<H> {
    /// Makes processor `cpu` choose again. One copy is enough: it is called from all over the
    /// schedulers.
    #[inline(never)]
    fn ask(&mut self, cpu: usize) {
        self.due[cpu] |= CHOOSE;
        if cpu != self.here {
            self.shared.call(cpu, true);
        }
    }
}

impl<H: Hardware> PoolEffects for World<H> {
    fn tickle(&mut self, cpu: Cpu) {
        self.ask(cpu.index());
    }

    fn arm(&mut self, pool: Pool, timer: PolicyTimer, at: Option<Instant>) {
        let timer = Timer::Policy(pool.index(), timer);
        self.timers.arm(self.here, timer, at);
    }
}

/// Why a machine cannot begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A scheduler refuses a parameter, a processor or a unit.
    Schedule,
    /// Memory cannot be mapped.
    Map,
}

impl From<Error> for Refusal {
    /// Drops the scheduler's error, which is for the tool to report; an image has no text for it.
    fn from(_: Error) -> Self {
        Self::Schedule
    }
}

impl From<MapError> for Refusal {
    fn from(_: MapError) -> Self {
        Self::Map
    }
}

/// The hypervisor. All methods are called with the lock held.
pub struct Hypervisor<H: Hardware> {
    description: &'static Description,
    shared: &'static Shared<H>,
    pools: FixedPools<'static, 'static>,
    world: World<H>,
    vcpus: Table<VcpuState, VCPUS>,
    partitions: Table<Partition, PARTITIONS>,
    processors: Table<Processor, CPUS>,
    links: Table<Link, CHANNELS>,
    console: Screen<H>,
}

impl<H: Hardware> Hypervisor<H> {
    /// Offsets for external observers: of the byte that gives the state of the first VCPU
    /// ([`VCPU_STANDING`](taktos_abi::layout::VCPU_STANDING)), and from it to the next VCPU's byte.
    pub const STANDING: (usize, usize) = (
        offset_of!(Self, vcpus) + offset_of!(VcpuState, condition),
        size_of::<VcpuState>(),
    );

    /// The machine that `description` says, with nothing running. `memory` keeps what its
    /// schedulers remember, `shared` what processors use without the lock. Refused when a scheduler
    /// or the map refuses something; the tool's checks find all of that before.
    pub fn new(
        memory: &'static mut Memory,
        shared: &'static Shared<H>,
        description: &'static Description,
    ) -> Result<Self, Refusal> {
        let (policies, homes) = memory.policies(description)?;
        let mut hypervisor = Self {
            description,
            shared,
            pools: FixedPools::new(policies, homes),
            world: World {
                timers: Timers::new(),
                due: Table([0; CPUS]),
                here: H::cpu(),
                shared,
            },
            vcpus: Table(core::array::from_fn(|index| vcpu(description, index))),
            partitions: Table(core::array::from_fn(|index| partition(description, index))),
            processors: Table(
                [Processor {
                    heard: None,
                    alarm: None,
                    until: None,
                    pass: None,
                    last: [NOBODY; PARTITIONS],
                    owner: NOBODY,
                }; CPUS],
            ),
            links: Table(core::array::from_fn(|_| Link::new())),
            console: Screen::new(console(description)),
        };
        hypervisor.fill_pools()?;
        hypervisor.map()?;
        hypervisor.route_devices();
        Ok(hypervisor)
    }

    /// Begins: all partitions start, and this processor, the first, does what is chosen. The others
    /// follow by [`Hypervisor::start_processor`].
    pub fn start(&mut self) -> Next {
        for partition in 0..self.partition_count() {
            self.start_partition(partition);
        }
        self.start_processor()
    }

    /// The calling processor begins.
    pub fn start_processor(&mut self) -> Next {
        self.world.here = H::cpu();
        self.world.due[self.world.here] |= CHOOSE;
        // A call that was sent before this processor's interrupts were set up may be lost.
        self.shared.take_call(self.world.here);
        self.leave()
    }

    fn partition_count(&self) -> usize {
        usize::from(self.description.partition_count).min(PARTITIONS)
    }

    fn vcpu_count(&self) -> usize {
        usize::from(self.description.vcpu_count).min(VCPUS)
    }

    /// The description's record of `partition`.
    #[inline(always)]
    fn record(&self, partition: usize) -> &'static vm::Partition {
        at(&self.description.partitions, partition)
    }

    /// The description's record of `channel`.
    #[inline(always)]
    fn channel(&self, channel: usize) -> &'static vm::Channel {
        at(&self.description.channels, channel)
    }

    /// The VCPUs of a partition.
    fn vcpus_of(&self, partition: usize) -> core::ops::Range<usize> {
        let record = self.record(partition);
        let first = usize::from(record.first_vcpu);
        first..(first + usize::from(record.vcpus)).min(VCPUS)
    }

    fn fill_pools(&mut self) -> Result<(), Refusal> {
        let now = H::now();
        for index in 0..usize::from(self.description.pool_count) {
            let record = at(&self.description.pools, index);
            let pool = Pool::new(index as u8);
            for cpu in CpuSet::from_bits(record.cpus) {
                self.pools.assign(cpu, pool, now, &mut self.world)?;
            }
        }
        for index in 0..self.vcpu_count() {
            let record = at(&self.description.vcpus, index);
            let admission = Admission {
                domain: Domain::new(record.partition.into()),
                hard: CpuSet::from_bits(record.hard),
                soft: CpuSet::from_bits(record.soft),
            };
            let pool = self.record(usize::from(record.partition)).pool;
            self.pools.insert(
                Vcpu::new(index as u16),
                admission,
                Pool::new(pool),
                now,
                &mut self.world,
            )?;
        }
        self.finish_policies(now)
    }

    /// Sets what schedulers take only when their units are there.
    fn finish_policies(&mut self, now: Instant) -> Result<(), Refusal> {
        for index in 0..usize::from(self.description.pool_count) {
            let pool = Pool::new(index as u8);
            let wanted = at(&self.description.pools, index).policy;
            let fx: &mut dyn PoolEffects = &mut self.world;
            let mut effects = Routed { pool, fx };
            match (self.pools.policy_mut(pool), wanted) {
                #[cfg(feature = "credit2")]
                (Some(AnyPolicy::Credit2(credit2)), _) => {
                    let partitions = self.description.partitions.iter().enumerate();
                    let count = usize::from(self.description.partition_count);
                    for (domain, partition) in partitions.take(count) {
                        if usize::from(partition.pool) == index && partition.cap != 0 {
                            let domain = Domain::new(domain as u16);
                            credit2.set_cap(domain, partition.cap, now, &mut effects)?;
                        }
                    }
                }
                (
                    Some(AnyPolicy::Arinc653(arinc653)),
                    Policy::Arinc653 {
                        frame,
                        count,
                        windows,
                    },
                ) => {
                    let table = windows.map(|one| memory::window(&one));
                    let table = &table[..usize::from(count)];
                    let frame = Duration::from_nanos(frame);
                    arinc653.set_table(table, frame, now, &mut effects)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn map(&mut self) -> Result<(), Refusal> {
        for index in 0..self.partition_count() {
            let record = self.record(index);
            H::map(
                index,
                layout::MEMORY,
                record.memory,
                record.bytes,
                Kind::Memory,
            )?;
            for device in &record.devices[..usize::from(record.device_count)] {
                H::map(index, device.at, device.at, device.bytes, Kind::Device)?;
            }
        }
        self.map_channels()
    }

    /// The interrupts of devices are masked until their partitions are loaded.
    fn route_devices(&mut self) {
        for index in 0..self.partition_count() {
            let record = self.record(index);
            self.shared.devices(index).console = record.console.then(crate::uart::Pl011::new);
            for number in interrupts(record) {
                self.shared.controller(index).assign_physical(number);
            }
        }
        H::route(crate::hardware::CONSOLE_INTERRUPT, Some(0));
    }

    /// The VCPU that processor `cpu` has loaded.
    #[inline(always)]
    fn loaded(&self, cpu: usize) -> Option<usize> {
        self.shared.loaded(cpu).map(|loaded| loaded.vcpu())
    }

    /// The partition of `vcpu`, and its number there.
    fn place_of(&self, vcpu: usize) -> (usize, usize) {
        let state = &self.vcpus[vcpu];
        (state.partition.into(), state.number.into())
    }

    /// Why `vcpu` is to be attended may have changed.
    fn attend(&mut self, vcpu: usize) {
        let state = &mut self.vcpus[vcpu];
        state.attended = state.physical.is_on()
            || matches!(state.condition, Condition::Loading { .. })
            || has_devices(self.description, state.partition.into());
    }

    /// Whether waiting of `vcpu` is trapped.
    fn wait_trapped(&self, vcpu: usize) -> bool {
        let partition = usize::from(self.vcpus[vcpu].partition);
        self.record(partition).wait == Wait::Trapped
    }

    /// Checks the invariants that hold between two exits, for tests: those of the schedulers, and
    /// that all VCPUs of a partition that does not run are off. Bound: the schedulers', and a check
    /// of each VCPU.
    pub fn check_invariants(&self) -> Result<(), Violation> {
        self.pools.check_invariants()?;
        for partition in 0..self.partition_count() {
            let runs = self.partitions[partition].phase == Phase::Runs;
            let mut vcpus = self.vcpus_of(partition);
            let alive = vcpus.find(|&vcpu| self.vcpus[vcpu].condition != Condition::Off);
            if let (false, Some(vcpu)) = (runs, alive) {
                return Err(Violation {
                    law: "all of a partition that does not run are off",
                    vcpu: Some(Vcpu::new(vcpu as u16)),
                    cpu: None,
                });
            }
        }
        Ok(())
    }

    /// How often `partition` has been started.
    pub fn starts(&self, partition: usize) -> u32 {
        self.shared.devices(partition).starts
    }
}

fn vcpu(description: &Description, index: usize) -> VcpuState {
    let partition = at(&description.vcpus, index).partition;
    let first = at(&description.partitions, partition.into()).first_vcpu;
    VcpuState {
        partition,
        number: (index as u8).wrapping_sub(first),
        condition: Condition::Off,
        on: None,
        attended: has_devices(description, partition.into()),
        physical: PhysicalTimer::default(),
    }
}

fn partition(description: &Description, index: usize) -> Partition {
    let record = at(&description.partitions, index);
    let times = |what| match what {
        OnStop::Stay => 0,
        OnStop::Restart(times) => times,
    };
    Partition {
        phase: Phase::Stopped,
        restarts: [times(record.on_fault), times(record.on_reset)],
        home: None,
        said: Said::NOTHING,
    }
}

fn has_devices(description: &Description, partition: usize) -> bool {
    at(&description.partitions, partition).device_count != 0
}

/// The interrupts of a partition's devices.
fn interrupts(record: &vm::Partition) -> impl Iterator<Item = u32> {
    let devices = &record.devices[..usize::from(record.device_count)];
    let numbers = devices.iter().map(|device| device.interrupt);
    numbers.filter(|&number| number != 0)
}

/// The console of the partitions that have one.
fn console(description: &Description) -> Multiplexer<PARTITIONS> {
    let mut console = Multiplexer::new();
    let partitions = description.partitions.iter().enumerate();
    for (index, partition) in partitions.take(usize::from(description.partition_count)) {
        if partition.console {
            console.attach(index, partition.name);
        }
    }
    // Nothing has been written yet: nothing is to be shown.
    console.give_input(description.input.into(), &mut |_| {});
    console
}
