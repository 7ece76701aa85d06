//! The hypervisor's core on the host's machine: what one partition may cost another, and what a
//! start leaves of the one before.

mod devices;
mod holds;
mod stops;

use std::cell::RefCell;
use std::rc::Rc;

use taktos_abi::vm::{self, Description, End, Linkage, OnStop, Wait, call, layout};
use taktos_tests::machine_el2::{Act, Costs, Guest, Rig, View};

const MS: u64 = 1_000_000;
const COSTS: Costs = Costs {
    exit: 200,
    call: 300,
};
/// PSCI's SYSTEM_RESET.
const RESET: u64 = 0x8400_0009;
/// PSCI's SYSTEM_OFF.
const OFF: u64 = 0x8400_0008;
const MEMORY: u64 = 0x20_0000;

/// Notes of what the guests returned and saw, in that order.
type Notes = Rc<RefCell<Vec<u64>>>;

/// A guest that does these acts, and notes what each leaves in x5; then for ever the last ones.
struct Program {
    once: Vec<Act>,
    repeated: Vec<Act>,
    next: usize,
    masked: bool,
    notes: Notes,
}

impl Program {
    fn new(once: &[Act], repeated: &[Act]) -> Self {
        Self {
            once: once.to_vec(),
            repeated: repeated.to_vec(),
            next: 0,
            masked: false,
            notes: Notes::default(),
        }
    }
}

impl Guest for Program {
    fn begin(&mut self) {
        self.next = 0;
    }

    fn next(&mut self, view: View) -> Act {
        self.notes.borrow_mut().push(view.answer[1]);
        let next = self.next;
        self.next += 1;
        match next.checked_sub(self.once.len()) {
            None => self.once[next],
            Some(later) => self.repeated[later % self.repeated.len()],
        }
    }

    fn is_masked(&self) -> bool {
        self.masked
    }
}

/// Returns the writes of a kernel before it takes interrupts: group 1 on; its redistributor awake;
/// all private and all shared ones enabled.
fn words() -> [Act; 5] {
    let own = layout::REDISTRIBUTOR;
    let words = [
        (layout::DISTRIBUTOR, 2),
        (own + 0x14, 0),
        (own + 0x1_0100, 0xFFFF_FFFF),
        (layout::DISTRIBUTOR + 0x104, 0xFFFF_FFFF),
        (layout::DISTRIBUTOR + 0x108, 0xFFFF_FFFF),
    ];
    words.map(|(at, value)| Act::Access(at, 4, Some(value)))
}

/// Returns partitions with these numbers of VCPUs, all in one pool.
fn description(policy: vm::Policy, cpus: u8, sizes: &[u8]) -> Description {
    let mut made = Description::EMPTY;
    made.cpus = cpus;
    made.pool_count = 1;
    made.pools[0] = vm::Pool {
        cpus: (1 << cpus) - 1,
        policy,
    };
    made.partition_count = sizes.len() as u8;
    for (index, &vcpus) in sizes.iter().enumerate() {
        made.partitions[index] = vm::Partition {
            first_vcpu: made.vcpu_count,
            vcpus,
            memory: layout::PARTITIONS + index as u64 * MEMORY,
            bytes: MEMORY,
            entry: layout::MEMORY,
            on_reset: OnStop::Restart(u32::MAX),
            wait: Wait::Trapped,
            console: true,
            segment_count: 1,
            ..vm::Partition::EMPTY
        };
        made.partitions[index].name[0] = b'a' + index as u8;
        made.partitions[index].segments[0] = vm::Segment {
            store: layout::PARTITIONS + 0x100_0000,
            bytes: 0x2345,
            at: layout::MEMORY + 0x8_0000,
        };
        for _ in 0..vcpus {
            made.vcpus[usize::from(made.vcpu_count)] = vm::VcpuRecord {
                partition: index as u8,
                hard: u64::MAX,
                soft: u64::MAX,
                server: vm::Server {
                    period: MS,
                    budget: MS / 4,
                    extra: true,
                    weight: 0,
                },
            };
            made.vcpu_count += 1;
        }
    }
    made
}

/// Adds a channel between the first partition and another one.
fn connect(made: &mut Description, linkage: Linkage, other: u8) {
    let end = |partition, linkage| End { partition, linkage };
    let number = made.channel_count;
    made.channels[usize::from(number)] = vm::Channel {
        memory: layout::PARTITIONS + 0x80_0000 + u64::from(number) * 0x1_0000,
        bytes: 0x1000,
        ends: [end(0, linkage), end(other, Linkage::Memory)],
    };
    made.channel_count += 1;
}

fn rig(made: &Description, guests: Vec<Program>, costs: Costs) -> Rig {
    made.check().expect("a good description");
    let guests = guests.into_iter();
    let guests = guests.map(|guest| Box::new(guest) as Box<dyn Guest>);
    Rig::new(made, guests.collect(), costs)
}

/// Three guests ring all doorbells that a victim with a processor of its own has, as fast as they
/// can, for 10 ms.
fn ringing(victim: Program, linkage: Linkage) -> (Rig, u64) {
    let mut made = description(vm::Policy::Null, 4, &[1, 1, 1, 1]);
    for other in [1, 2, 3, 1, 2, 3, 1, 2] {
        connect(&mut made, linkage, other);
    }
    let ring = |channel| Act::Call([call::DOORBELL.into(), channel, 0, 0]);
    let flood = |own: &[u64]| {
        let rings: Vec<Act> = own.iter().map(|&channel| ring(channel)).collect();
        Program::new(&[Act::Run(MS / 10)], &rings)
    };
    let attackers = [&[0, 3, 6][..], &[1, 4, 7], &[2, 5]].map(flood);
    let mut guests = vec![victim];
    guests.extend(attackers);
    let mut rig = rig(&made, guests, COSTS);
    rig.run(10 * MS);
    let calls = rig.calls()[0];
    (rig, calls)
}

#[test]
fn doorbells_cost_a_guest_that_has_masked_interrupts_two_calls_each_and_no_more() {
    for linkage in [Linkage::Memory, Linkage::Uart] {
        let mut begin = words().to_vec();
        for channel in 0..8 {
            // Everything that the devices may ask for.
            let mask = MASK + channel * layout::CHANNEL_UART_STRIDE;
            begin.push(Act::Access(mask, 4, Some(0x7FF)));
        }
        let mut victim = Program::new(&begin, &[Act::Run(u64::MAX / 2)]);
        victim.masked = true;
        let (rig, calls) = ringing(victim, linkage);
        assert!(calls <= 16, "{calls}");
        assert_eq!(rig.registers(0).taken(), 0);
    }
}

#[test]
fn doorbells_cost_a_guest_that_takes_them_no_more_than_an_exit_each() {
    let victim = Program::new(&words(), &[Act::Run(u64::MAX / 2)]);
    let (rig, calls) = ringing(victim, Linkage::Memory);
    let taken = rig.registers(0).taken();
    assert!(taken > 100, "{taken} were taken");
    assert!(calls <= taken + 16, "{calls} calls for {taken}");
}

#[test]
fn a_processor_is_called_once_while_the_call_is_on_its_way() {
    let mut made = description(vm::Policy::Null, 2, &[1, 1]);
    for _ in 0..4 {
        connect(&mut made, Linkage::Memory, 1);
    }
    let ring = |channel| Act::Call([call::DOORBELL.into(), channel, 0, 0]);
    let rings: Vec<Act> = [Act::Run(MS)].into_iter().chain((0..4).map(ring)).collect();
    let busy = [Act::Run(u64::MAX / 2)];
    let guests = [Program::new(&words(), &busy), Program::new(&rings, &busy)];
    // All doorbells ring before the first call arrives.
    let slow = Costs {
        call: 100_000,
        ..COSTS
    };
    let mut rig = rig(&made, guests.into(), slow);
    rig.run(3 * MS);
    assert_eq!((rig.registers(0).taken(), rig.calls()[0]), (4, 1));
}

#[test]
fn translations_are_forgotten_when_a_sibling_takes_over() {
    let two = |run| Program::new(&[], &[Act::Run(run)]);
    // CPU_ON: the second begins where the first did.
    let on = Act::Call([0xC400_0003, 1, layout::MEMORY, 0]);
    let first = Program::new(&[on], &[Act::Run(MS)]);
    let mut rig = rig(
        &description(vm::Policy::Rtds, 1, &[2, 1]),
        vec![first, two(MS), two(MS)],
        COSTS,
    );
    rig.run(20 * MS);
    let shown = rig.shown();
    let loads: Vec<usize> = shown.iter().filter_map(|&(_, _, vcpu)| vcpu).collect();
    let siblings: Vec<usize> = loads.into_iter().filter(|&vcpu| vcpu < 2).collect();
    let changes = siblings.windows(2).filter(|two| two[0] != two[1]).count();
    assert!(changes > 10, "{changes}");
    assert_eq!(rig.flushes(), changes as u64);
}

#[test]
fn a_start_clears_all_memory_before_it_copies_the_image() {
    let guest = Program::new(&[Act::Run(MS)], &[Act::Call([RESET, 0, 0, 0])]);
    let made = description(vm::Policy::Null, 1, &[1]);
    let mut rig = rig(&made, vec![guest], COSTS);
    rig.run(5 * MS);
    let starts = u64::from(rig.hypervisor().starts(0));
    assert!(starts >= 3, "{starts}");
    let mut at = made.partitions[0].memory;
    let end = at + MEMORY;
    let copies_of_a_start = rig.copies().len() / starts as usize;
    let clears = rig.clears();
    for (number, &(from, bytes, copies)) in clears.iter().enumerate() {
        // Piece by piece, each of them of an exit's length, one after the other.
        assert!((1..=32 << 10).contains(&bytes) && from == at, "{number}");
        let start = number as u64 * bytes / MEMORY;
        assert_eq!(copies, start as usize * copies_of_a_start, "{number}");
        at = if from + bytes == end {
            end - MEMORY
        } else {
            from + bytes
        };
    }
    assert_eq!(clears.len() as u64, starts * MEMORY / clears[0].1);
}

/// A byte to the console.
fn byte(byte: u8) -> Act {
    Act::Access(layout::CONSOLE, 4, Some(byte.into()))
}

#[test]
fn nobody_waits_for_a_line_that_is_full() {
    // One floods the console, with ends of lines and without; the line takes nothing.
    for flood in [&[byte(b'x'), byte(b'\n')][..], &[byte(b'x')]] {
        let flood = Program::new(&[], flood);
        let quiet = Program::new(&[Act::Run(9 * MS), Act::Call([OFF, 0, 0, 0])], &[Act::Wait]);
        let mut rig = rig(
            &description(vm::Policy::Null, 2, &[1, 1]),
            vec![flood, quiet],
            COSTS,
        );
        rig.give_room(0);
        rig.run(10 * MS);
        assert_eq!(rig.console(), "");
        // The waiting text comes as there is space, the hypervisor's own words too; then the loss
        // is reported.
        for _ in 0..100 {
            rig.give_room(64);
            rig.run(rig.now() + MS / 10);
        }
        rig.give_room(usize::MAX);
        rig.run(rig.now() + MS);
        let shown = rig.console();
        assert!(shown.contains("[taktos] b stopped: off\n"), "{shown}");
        assert!(
            shown.contains("[taktos] lost on the way to the console, in bytes: "),
            "{shown}"
        );
        // A line may lack what was left out of it, but none is without its mark.
        let is_marked = |line: &str| {
            let own = line.strip_prefix("[a] ");
            line.is_empty()
                || line.starts_with("[taktos] ")
                || own.is_some_and(|own| own.bytes().all(|byte| byte == b'x'))
        };
        assert!(shown.lines().all(is_marked), "{shown}");
    }
}

#[test]
fn the_last_words_are_seen_before_the_machine_is_off() {
    let acts = [byte(b'x'), byte(b'\n'), Act::Call([OFF, 0, 0, 0])];
    let guest = Program::new(&acts, &[Act::Wait]);
    let mut rig = rig(&description(vm::Policy::Null, 1, &[1]), vec![guest], COSTS);
    rig.give_room_by(3);
    rig.run(MS);
    assert!(rig.is_over());
    assert_eq!(rig.console(), "[a] x\n[taktos] a stopped: off\n");
}

#[test]
fn a_guest_that_resets_without_end_is_told_of_seldom_and_at_its_end() {
    const TIMES: u32 = 300;
    let resets = Program::new(&[], &[Act::Call([RESET, 0, 0, 0])]);
    let quiet = Program::new(&[Act::Run(900 * MS), byte(b'x'), byte(b'\n')], &[Act::Wait]);
    let mut made = description(vm::Policy::Null, 2, &[1, 1]);
    made.partitions[0].on_reset = OnStop::Restart(TIMES);
    let mut rig = rig(&made, vec![resets, quiet], COSTS);
    rig.run(1000 * MS);
    assert_eq!(rig.hypervisor().starts(0), TIMES + 1);
    let shown = rig.console();
    // Its end is reported, and the number of its starts before it, and the text of others.
    for line in [
        "[taktos] a stopped: reset\n[taktos] a started again (1)\n",
        "[taktos] a started again (300)\n[taktos] a stopped: reset\n",
        "[b] x\n",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    let lines = shown.lines().filter(|line| line.starts_with("[taktos] a "));
    assert!(lines.count() <= 16 + 10 + 2, "{shown}");
}

#[test]
fn a_timer_that_asks_no_more_is_not_pending() {
    const PENDING: Act = Act::Access(layout::REDISTRIBUTOR + 0x1_0200, 4, None);
    let mut acts = words().to_vec();
    for _ in 0..3 {
        // It is due; then it is not any more, and no VCPU has taken its interrupt.
        acts.extend([Act::Timer(Some(0)), Act::Run(1000), PENDING]);
        acts.extend([Act::Timer(None), Act::Run(1000), PENDING]);
    }
    let mut guest = Program::new(&acts, &[Act::Run(MS)]);
    guest.masked = true;
    let notes = guest.notes.clone();
    let mut rig = rig(&description(vm::Policy::Null, 1, &[1]), vec![guest], COSTS);
    rig.run(MS);
    let (notes, reads) = (notes.borrow(), acts.iter().enumerate());
    let reads = reads.filter(|(_, act)| **act == PENDING);
    let read: Vec<u64> = reads.map(|(place, _)| notes[place + 1] >> 27 & 1).collect();
    assert_eq!(read, [1, 0, 1, 0, 1, 0]);
}

/// A guest's posted write goes wrong while the guest is taken off.
#[test]
fn an_asynchronous_error_stops_who_caused_it() {
    let busy = || Program::new(&[], &[Act::Run(MS / 10)]);
    let made = description(
        vm::Policy::Credit2 {
            ratelimit: 0,
            balance: true,
        },
        1,
        &[1, 1],
    );
    for culprit in [0, 1] {
        let mut rig = rig(&made, vec![busy(), busy()], COSTS);
        let runs = |rig: &Rig| rig.shown().last().and_then(|shown| shown.2);
        while runs(&rig) != Some(culprit) {
            rig.run(rig.now() + MS / 10);
        }
        rig.send_error();
        rig.run(rig.now() + 50 * MS);
        let name = [b'a', b'b'][culprit] as char;
        assert_eq!(
            rig.console(),
            format!("[taktos] {name} stopped: fault at 0x0 (syndrome 0xbc000000, address 0x0)\n")
        );
        assert_eq!(runs(&rig), Some(1 - culprit));
    }
}

/// A PL011's register of enabled interrupts.
const MASK: u64 = layout::CHANNEL_UART + 0x38;

#[test]
fn the_ends_of_channels_begin_anew_with_their_partition() {
    let mut made = description(vm::Policy::Null, 2, &[1, 1]);
    connect(&mut made, Linkage::Uart, 1);
    let acts = [
        Act::Access(MASK, 4, None),
        Act::Access(MASK, 4, Some(0x50)),
        Act::Access(MASK, 4, None),
        Act::Call([RESET, 0, 0, 0]),
    ];
    let guest = Program::new(&acts, &[Act::Run(MS)]);
    let notes = guest.notes.clone();
    let mut rig = rig(
        &made,
        vec![guest, Program::new(&[], &[Act::Run(MS)])],
        COSTS,
    );
    rig.run(MS);
    assert!(rig.hypervisor().starts(0) >= 3);
    // The value in the register at the beginning, the one that was written, the one that was read.
    let seen: Vec<u64> = notes.borrow().clone();
    for start in seen.chunks_exact(4) {
        assert_eq!(start[1..], [0, 0x50, 0x50]);
    }
}

/// A guest that does other acts in each of its lives, then waits for ever.
struct Lives {
    lives: Vec<Vec<Act>>,
    life: usize,
    next: usize,
    masked: bool,
    /// When it continued, in which life, after how many acts.
    notes: Rc<RefCell<Vec<(usize, usize, u64)>>>,
}

impl Lives {
    fn new(lives: &[&[Act]]) -> Self {
        Self {
            lives: lives.iter().map(|acts| acts.to_vec()).collect(),
            life: 0,
            next: 0,
            masked: false,
            notes: Rc::default(),
        }
    }
}

impl Guest for Lives {
    fn begin(&mut self) {
        self.life += 1;
        self.next = 0;
    }

    fn next(&mut self, view: View) -> Act {
        self.notes
            .borrow_mut()
            .push((self.life, self.next, view.now));
        let acts = self.lives.get(self.life - 1);
        let act = acts.and_then(|acts| acts.get(self.next)).copied();
        self.next += 1;
        act.unwrap_or(Act::Wait)
    }

    fn is_masked(&self) -> bool {
        self.masked
    }
}

fn rig_of(made: &Description, guests: Vec<Lives>) -> Rig {
    made.check().expect("a good description");
    let guests = guests.into_iter();
    let guests = guests.map(|guest| Box::new(guest) as Box<dyn Guest>);
    Rig::new(made, guests.collect(), COSTS)
}

/// A kernel that has masked interrupts waits for one that is there already: the wait ends at once,
/// as the architecture says of WFI.
#[test]
fn a_wait_ends_at_once_where_an_interrupt_is_there_that_is_masked() {
    let pend = Act::Access(layout::REDISTRIBUTOR + 0x1_0200, 4, Some(1 << 5));
    for is_pending in [false, true] {
        let mut acts = words().to_vec();
        acts.extend(is_pending.then_some(pend));
        acts.extend([Act::Wait, Act::Run(MS)]);
        let mut guest = Lives::new(&[&acts]);
        guest.masked = true;
        let notes = guest.notes.clone();
        let mut rig = rig_of(&description(vm::Policy::Null, 1, &[1]), vec![guest]);
        rig.run(5 * MS);
        let behind = notes.borrow().iter().map(|note| note.1).max();
        let waits = acts.len() - 2;
        match is_pending {
            true => assert!(behind > Some(waits), "it waits though there is one"),
            false => assert_eq!(behind, Some(waits), "it waits: nothing is there"),
        }
    }
}

/// A wait for a timer in one life does not end one of the next.
#[test]
fn a_timer_for_which_a_life_waited_wakes_none_of_the_next() {
    const CPU_ON: u64 = 0xC400_0003;
    let on = Act::Call([CPU_ON, 1, layout::MEMORY, 0]);
    // Its sibling resets the partition while it waits for 5 ms; then it waits for nothing.
    let first = Lives::new(&[&[on, Act::WaitUntil(5 * MS)], &[Act::Wait]]);
    let second = Lives::new(&[&[Act::Run(MS), Act::Call([RESET, 0, 0, 0])]]);
    let notes = first.notes.clone();
    let mut rig = rig_of(&description(vm::Policy::Null, 2, &[2]), vec![first, second]);
    rig.run(20 * MS);
    let notes = notes.borrow();
    assert!(notes.iter().any(|note| note.0 == 2), "it lives again");
    let later: Vec<_> = notes.iter().filter(|note| note.2 > 4 * MS).collect();
    assert!(later.is_empty(), "nothing wakes it: {later:?}");
}

/// The next life runs, and never waits: it is not left for the timer for which the first waited.
#[test]
fn a_timer_for_which_a_life_waited_interrupts_none_of_the_next() {
    const CPU_ON: u64 = 0xC400_0003;
    let on = Act::Call([CPU_ON, 1, layout::MEMORY, 0]);
    let first = Lives::new(&[&[on, Act::WaitUntil(5 * MS)], &[Act::Run(100 * MS)]]);
    let second = Lives::new(&[&[Act::Run(MS), Act::Call([RESET, 0, 0, 0])]]);
    let mut rig = rig_of(&description(vm::Policy::Null, 2, &[2]), vec![first, second]);
    rig.run(4 * MS);
    let before = rig.interrupted(0);
    rig.run(20 * MS);
    assert_eq!(rig.interrupted(0), before);
}

/// A guest that has masked interrupts while it does its acts, and takes them from then on.
struct Patient {
    acts: Vec<Act>,
    next: usize,
}

impl Guest for Patient {
    fn begin(&mut self) {
        self.next = 0;
    }

    fn next(&mut self, _: View) -> Act {
        let act = self.acts.get(self.next).copied();
        self.next += 1;
        act.unwrap_or(Act::Run(MS))
    }

    fn is_masked(&self) -> bool {
        self.next <= self.acts.len()
    }
}

/// The interrupt of a timer that is pending while its VCPU is taken off and loaded again comes
/// once.
#[test]
fn a_timer_that_is_pending_when_its_vcpu_is_loaded_again_comes_once() {
    let mut acts = words().to_vec();
    acts.extend([Act::Timer(Some(0)), Act::Run(MS)]);
    let patient = Patient { acts, next: 0 };
    let busy = Program::new(&[], &[Act::Run(MS)]);
    let made = description(vm::Policy::Rtds, 1, &[1, 1]);
    made.check().expect("a good description");
    let mut rig = Rig::new(&made, vec![Box::new(patient), Box::new(busy)], COSTS);
    rig.run(20 * MS);
    let loads = rig.shown();
    let loads = loads.iter().filter(|shown| shown.2 == Some(0)).count();
    assert!(loads > 10, "{loads}");
    assert_eq!(rig.registers(0).taken(), 1);
}
