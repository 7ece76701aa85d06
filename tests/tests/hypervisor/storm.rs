//! Stress test of the hypervisor's core: guests on several processors that do anything at all, at
//! any time. Whatever they do it does not panic, its schedulers' invariants hold, and other
//! partitions keep their registers, their memory and their guarantees.

use taktos_abi::vm::{self, Description, End, Linkage, OnStop, Wait, call, layout};
use taktos_simulate::random::Stream;
use taktos_tests::machine_el2::{self, Act, Guest, Rig, View};

const MS: u64 = 1_000_000;
/// An exit: so a guest that does nothing but leave does not stand still.
const COSTS: machine_el2::Costs = machine_el2::Costs {
    exit: 200,
    call: 300,
};

/// Random numbers at places of their own.
struct Draws(Stream, u64);

impl Draws {
    fn new(seed: u64, row: u64) -> Self {
        Self(Stream::new(seed, row), 0)
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        self.1 += 1;
        low + self.0.below_or_at(self.1, high - low)
    }

    /// Any number, small ones and those with few bits more often.
    fn any(&mut self) -> u64 {
        match self.between(0, 4) {
            0 => self.between(0, 4),
            1 => 1 << self.between(0, 63),
            2 => self.between(0, 1 << 32),
            3 => u64::MAX - self.between(0, 4),
            _ => self.between(0, u64::MAX),
        }
    }
}

/// Returns the writes of a kernel before it waits for its timer: group 1 on; its redistributor
/// awake; all its interrupts in group 1; the timer's enabled. Offsets are those of a VCPU's own
/// redistributor.
fn words(vcpu: u64) -> [(u64, u64); 4] {
    let own = layout::REDISTRIBUTOR + vcpu * layout::REDISTRIBUTOR_STRIDE;
    [
        (layout::DISTRIBUTOR, 2),
        (own + 0x14, 0),
        (own + 0x1_0080, 0xFFFF_FFFF),
        (own + 0x1_0100, 1 << layout::TIMER_INTERRUPT),
    ]
}

/// How far the instants are apart at which hostile guests meet: each of them acts within an exit's
/// length of one.
const MEETING: u64 = 20_000;

/// Hostile guest: the source of its random acts; its pending acts; its number in its partition.
struct Hostile(Draws, Vec<Act>, u64);

/// Numbers of calls that mean something: the project's and PSCI's.
const CALLS: [u32; 19] = [
    call::VERSION,
    call::DOORBELL,
    call::NOTHING,
    call::WHO,
    call::YIELD,
    call::RING_SELF,
    0x8400_0000,
    0x8400_0001,
    0xC400_0001,
    0x8400_0002,
    0x8400_0003,
    0xC400_0003,
    0xC400_0004,
    0x8400_0006,
    0x8400_0008,
    0x8400_0009,
    0x8400_000A,
    0xC400_000E,
    0x8000_0000,
];

impl Hostile {
    /// Rarely for ever.
    fn wait(&mut self, now: u64) -> Act {
        if self.0.between(0, 300) == 0 {
            return Act::Wait;
        }
        let soon = now + self.0.between(0, 30_000);
        self.1 = vec![Act::WaitUntil(soon)];
        let words = words(self.2).map(|(at, value)| Act::Access(at, 4, Some(value)));
        self.1.extend(words);
        Act::Run(1)
    }

    fn call(&mut self) -> Act {
        let draws = &mut self.0;
        let number = match draws.between(0, 9) {
            0 => draws.any(),
            _ => CALLS[draws.between(0, CALLS.len() as u64 - 1) as usize].into(),
        };
        // Switching off and resetting for good end the test soon: they come now and then.
        let rarely = match number as u32 {
            0x8400_0008 => 3_000,
            // It may wait for ever.
            0x8400_0001 | 0xC400_0001 => 300,
            0x8400_0009 | 0x8400_0002 => 20,
            _ => 0,
        };
        let number = match rarely > 0 && draws.between(0, rarely) != 0 {
            true => u64::from(call::NOTHING),
            false => number,
        };
        let second = match draws.between(0, 2) {
            0 => layout::MEMORY + 4 * draws.between(0, 1 << 18),
            _ => draws.any(),
        };
        Act::Call([number, draws.any(), second, draws.any()])
    }

    /// It leaves its processor at about an instant at which its siblings do: one of them stops
    /// their partition while another one's exit is under way, of any kind.
    fn meet(&mut self, now: u64) -> Act {
        let words = words(self.2);
        let ready = now + words.len() as u64 * COSTS.exit;
        let at = ready.next_multiple_of(MEETING) + self.0.between(0, COSTS.exit);
        let wake = Act::Timer(Some(at + self.0.between(0, 30_000)));
        let call = |number: u32| Act::Call([number.into(), 1, layout::MEMORY, 0]);
        let act = match self.0.between(0, 7) {
            // SYSTEM_RESET.
            0 => call(0x8400_0009),
            1 => Act::Wait,
            // CPU_SUSPEND, and CPU_ON of the second.
            2 => call(0xC400_0001),
            3 | 4 => call(0xC400_0003),
            5 => self.call(),
            6 => self.access(),
            _ => self.exception(),
        };
        self.1.extend([act, Act::Run(at - ready), wake]);
        self.1
            .extend(words.map(|(at, value)| Act::Access(at, 4, Some(value))));
        Act::Run(0)
    }

    /// An access to the emulated devices, or anywhere.
    fn access(&mut self) -> Act {
        let draws = &mut self.0;
        let bytes = 1 << draws.between(0, 3);
        let at = match draws.between(0, 5) {
            0 => layout::DISTRIBUTOR + draws.between(0, 0xFFFF),
            1 => layout::DISTRIBUTOR + 4 * draws.between(0, 0x400),
            2 => layout::REDISTRIBUTOR + draws.between(0, 0x7_FFFF),
            3 => layout::CONSOLE + draws.between(0, 0xFFF),
            4 => layout::CHANNEL_UART + draws.between(0, 0x2FFF),
            _ => draws.any(),
        };
        let write = (draws.between(0, 1) == 0).then(|| draws.any());
        Act::Access(at, bytes, write)
    }

    fn exception(&mut self) -> Act {
        let draws = &mut self.0;
        let class = match draws.between(0, 3) {
            // A system register: any.
            0 | 1 => 0x18,
            2 => draws.between(0, 0x3F),
            _ => 0x24,
        };
        // A kernel that fetches from nowhere stops its partition: now and then.
        const FETCH: u64 = 0x20;
        let stops = draws.between(0, 130) == 0;
        let class = match (stops, class) {
            (true, _) => FETCH,
            (false, FETCH) => 0x18,
            (false, class) => class,
        };
        let syndrome = class << 26 | 1 << 25 | draws.between(0, (1 << 25) - 1);
        let register = match draws.between(0, 2) {
            // ICC_SGI1R_EL1 from x5: interrupts to its siblings.
            0 => 0x18 << 26 | 1 << 25 | 3 << 20 | 5 << 17 | 12 << 10 | 5 << 5 | 11 << 1,
            _ => syndrome,
        };
        let exception = Act::Exception(register, draws.any(), draws.any(), draws.any());
        if stops {
            return exception;
        }
        // It may be a user program's, of any state; after it the kernel continues.
        const KERNEL: u64 = 0x3C5;
        let state = [KERNEL, 0, draws.any() & !0xF][draws.between(0, 2) as usize];
        self.1 = vec![Act::State(KERNEL), exception];
        Act::State(state)
    }
}

impl Guest for Hostile {
    fn begin(&mut self) {
        self.1.clear();
    }

    fn next(&mut self, view: View) -> Act {
        if let Some(act) = self.1.pop() {
            return act;
        }
        match self.0.between(0, 11) {
            10 | 11 => self.meet(view.now),
            0 => Act::Run(self.0.between(1, 50_000)),
            1 => Act::Run(self.0.between(1, 400)),
            2 => Act::Timer(Some(view.now.wrapping_add(self.0.between(0, 60_000)))),
            3 => Act::Timer((self.0.between(0, 2) == 0).then(|| self.0.any())),
            4 => self.wait(view.now),
            5 | 6 => self.call(),
            7 | 8 => self.access(),
            _ => self.exception(),
        }
    }
}

/// A guest that does its work and nothing else: it runs, and looks whether its registers are as it
/// left them.
struct Quiet {
    word: usize,
    marked: Option<u64>,
    next: u64,
    work: u64,
    period: u64,
    /// The latest end of its work after its period began, seen by the test.
    latest: std::rc::Rc<std::cell::Cell<u64>>,
    rounds: std::rc::Rc<std::cell::Cell<u64>>,
    running: bool,
}

impl Guest for Quiet {
    fn begin(&mut self) {
        assert_eq!(self.word, 0, "it is never reset");
    }

    fn next(&mut self, view: View) -> Act {
        if let Some(&(at, value)) = words(0).get(self.word) {
            self.word += 1;
            return Act::Access(at, 4, Some(value));
        }
        if let Some(mark) = self.marked.take() {
            assert_eq!(view.answer[1], mark, "its registers are its own");
        }
        if self.running {
            self.running = false;
            self.latest.set(self.latest.get().max(view.now - self.next));
            self.rounds.set(self.rounds.get() + 1);
            self.next += self.period;
        }
        if view.now < self.next {
            return Act::WaitUntil(self.next);
        }
        self.running = true;
        // x5 keeps this until it looks again.
        self.marked = Some(self.next);
        Act::Keep(self.next, self.work)
    }
}

/// Two hostile guests with two processors each, and a quiet one; a channel between the hostile
/// ones, and one from a hostile one to the quiet one.
fn description(policy: vm::Policy, cpus: u8, wait: Wait) -> Description {
    let mut made = Description::EMPTY;
    made.cpus = cpus;
    made.pool_count = 1;
    made.pools[0] = vm::Pool {
        cpus: (1 << cpus) - 1,
        policy,
    };
    let sizes = [1u8, 2, 2];
    made.partition_count = sizes.len() as u8;
    made.vcpu_count = sizes.iter().sum();
    let mut first = 0;
    for (index, vcpus) in sizes.into_iter().enumerate() {
        let partition = &mut made.partitions[index];
        *partition = vm::Partition {
            first_vcpu: first,
            vcpus,
            memory: layout::PARTITIONS + index as u64 * 0x20_0000,
            bytes: 0x20_0000,
            entry: layout::MEMORY,
            on_fault: OnStop::Restart(u32::MAX),
            on_reset: OnStop::Restart(u32::MAX),
            wait: if index == 0 { Wait::Trapped } else { wait },
            console: true,
            segment_count: 1,
            ..vm::Partition::EMPTY
        };
        partition.segments[0] = vm::Segment {
            store: layout::PARTITIONS + 0x100_0000,
            bytes: 0x2345,
            at: layout::MEMORY + 0x1000,
        };
        partition.name[..5].copy_from_slice(&[b'g', b'u', b'e', b's', b'0' + index as u8]);
        for vcpu in first..first + vcpus {
            let quiet = index == 0;
            made.vcpus[usize::from(vcpu)] = vm::VcpuRecord {
                partition: index as u8,
                hard: u64::MAX,
                soft: u64::MAX,
                server: vm::Server {
                    period: MS,
                    budget: if quiet { MS / 2 } else { MS / 10 },
                    extra: !quiet,
                    weight: 0,
                },
            };
        }
        first += vcpus;
    }
    made.channel_count = 3;
    let ends = [
        (1, Linkage::Memory, 2, Linkage::Memory),
        (1, Linkage::Uart, 2, Linkage::Memory),
        (2, Linkage::Memory, 0, Linkage::Memory),
    ];
    for (index, (one, from, other, to)) in ends.into_iter().enumerate() {
        made.channels[index] = vm::Channel {
            memory: layout::PARTITIONS + 0x80_0000 + index as u64 * 0x1_0000,
            bytes: 0x1000,
            ends: [
                End {
                    partition: one,
                    linkage: from,
                },
                End {
                    partition: other,
                    linkage: to,
                },
            ],
        };
    }
    made.check().expect("a good description");
    made
}

/// Figures of a stress test.
struct Storm {
    latest: u64,
    rounds: u64,
    starts: u32,
    looks: u64,
    injected: u64,
}

fn storm(description: &Description, seed: u64, end: u64) -> Storm {
    let latest = std::rc::Rc::new(std::cell::Cell::new(0));
    let rounds = std::rc::Rc::new(std::cell::Cell::new(0));
    let quiet = Quiet {
        word: 0,
        marked: None,
        next: 0,
        work: 200_000,
        period: MS,
        latest: latest.clone(),
        rounds: rounds.clone(),
        running: false,
    };
    let mut guests: Vec<Box<dyn Guest>> = vec![Box::new(quiet)];
    for vcpu in 1..5 {
        let number = (vcpu - 1) % 2;
        guests.push(Box::new(Hostile(
            Draws::new(seed, vcpu),
            Vec::new(),
            number,
        )));
    }
    let mut rig = Rig::new(description, guests, COSTS);
    rig.stand_aside(COSTS.exit / 4);
    let mut looks = 0;
    rig.run_and(end, |rig| {
        looks += 1;
        let checked = rig.hypervisor().check_invariants();
        checked.expect("what holds between two exits");
    });
    let hypervisor = rig.hypervisor();
    assert_eq!(hypervisor.starts(0), 1, "nobody else restarts it");
    assert_eq!(rig.registers(0).injected(), 0, "nobody else faults it");
    let own = description.partitions[0].memory;
    let into = |&(to, _, bytes): &(u64, u64, u64)| to < own + 0x20_0000 && own < to + bytes;
    let copied: u64 = rig
        .copies()
        .iter()
        .filter(|copy| into(copy))
        .map(|copy| copy.2)
        .sum();
    assert_eq!(copied, 0x2345, "its image was copied once");
    Storm {
        latest: latest.get(),
        rounds: rounds.get(),
        starts: hypervisor.starts(1) + hypervisor.starts(2),
        looks,
        injected: rig.registers(1).injected() + rig.registers(3).injected(),
    }
}

const CREDIT: vm::Policy = vm::Policy::Credit {
    slice: 5 * MS,
    ratelimit: MS,
    migration_delay: 0,
    balance: true,
};
const CREDIT2: vm::Policy = vm::Policy::Credit2 {
    ratelimit: MS,
    balance: true,
};

/// Stress tests of one policy: what is true under any.
fn rage(policy: vm::Policy, cpus: u8) -> Vec<Storm> {
    let seed = taktos_random::seed();
    let storms = (0..6).map(|number| {
        let wait = [Wait::Trapped, Wait::Native][number as usize % 2];
        let seed = seed.wrapping_add(number);
        storm(&description(policy, cpus, wait), seed, 40 * MS)
    });
    let storms: Vec<Storm> = storms.collect();
    // The tests did enough of everything.
    let sum = |of: fn(&Storm) -> u64| storms.iter().map(of).sum::<u64>();
    let (looks, starts) = (sum(|storm| storm.looks), sum(|storm| storm.starts.into()));
    let injected = sum(|storm| storm.injected);
    assert!(looks > 10_000, "{looks} times the hypervisor acted");
    assert!(starts > 15, "{starts} starts");
    assert!(injected > 100, "{injected} exceptions");
    storms
}

#[test]
fn a_server_that_is_admitted_keeps_its_deadlines_in_the_storm() {
    for cpus in [1, 2, 4] {
        for storm in rage(vm::Policy::Rtds, cpus) {
            assert!(storm.rounds >= 38, "{} rounds", storm.rounds);
            assert!(storm.latest <= MS, "{} ns", storm.latest);
        }
    }
    // A guest that wakes in a period that has begun waits for the next one.
    for cpus in [1, 3] {
        for storm in rage(vm::Policy::Sedf, cpus) {
            assert!(storm.rounds >= 38, "{} rounds", storm.rounds);
            assert!(storm.latest <= 2 * MS, "{} ns", storm.latest);
        }
    }
}

#[test]
fn the_laws_of_every_policy_hold_in_the_storm() {
    rage(CREDIT, 1);
    rage(CREDIT, 3);
    rage(CREDIT2, 2);
    rage(CREDIT2, 4);
    // A processor of its own: only the interrupts of others' doorbells delay it.
    for storm in rage(vm::Policy::Null, 4) {
        assert!(storm.latest <= MS / 2, "{} ns", storm.latest);
    }
}

#[test]
fn the_laws_of_a_table_hold_in_the_storm() {
    let mut windows = [vm::Window::EMPTY; 16];
    for (vcpu, window) in windows[..5].iter_mut().enumerate() {
        *window = vm::Window {
            vcpu: vcpu as u8,
            length: [MS / 2, MS / 10, MS / 10, MS / 10, MS / 10][vcpu],
        };
    }
    let table = vm::Policy::Arinc653 {
        frame: MS,
        count: 5,
        windows,
    };
    for storm in rage(table, 1) {
        assert!(storm.rounds >= 38, "{} rounds", storm.rounds);
    }
}
