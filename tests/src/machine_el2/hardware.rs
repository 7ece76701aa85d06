//! Owns: the processors, timers, interrupts and memory that the hypervisor sees. The hypervisor's
//! own arithmetic gives the counter; unless a test sets another rate, a tick is a nanosecond. Must
//! never know: what guests do.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

use taktos_abi::vm::layout;
use taktos_hypervisor::hardware::{
    Addresses, CALL_INTERRUPT, CONSOLE_INTERRUPT, Context, Hardware, Kind, MapError, VirtualTimer,
};
use taktos_hypervisor::rate::Rate;
use taktos_time::Instant;

use super::context::{Lists, Registers};
use super::lock::{OneAtATime, held};

/// Interrupt 26: the hypervisor's timer.
const ALARM: u32 = taktos_abi::vm::layout::HYPERVISOR_TIMER_INTERRUPT;
/// Interrupt 27: the guest's.
const TIMER: u32 = taktos_abi::vm::layout::TIMER_INTERRUPT;
/// Interrupt 25: the virtual interface's.
const MAINTENANCE: u32 = taktos_abi::vm::layout::MAINTENANCE_INTERRUPT;
const VCPUS: usize = 16;
const CPUS: usize = 4;

/// Event for observers: the time, the processor, and the VCPU that it runs from then on.
pub type Shown = (u64, usize, Option<usize>);

/// A processor.
#[derive(Clone, Copy, Default)]
pub(super) struct Processor {
    pub alarm: Option<u64>,
    /// When a call of another processor arrives.
    pub called: Option<u64>,
    pub timer_active: bool,
    pub loaded: Option<usize>,
    pub wait_trapped: bool,
    /// The bytes of its last operation on memory that are done, and not reported.
    moved: u64,
}

/// The machine of this host thread.
pub(super) struct State {
    pub now: u64,
    /// The counter's ticks a second, and the arithmetic for them.
    pub hertz: u64,
    pub rate: Rate,
    pub cpu: usize,
    /// Of its exit, if that is an exception.
    addresses: Addresses,
    pub locked: bool,
    /// How long a call takes.
    pub call: u64,
    pub processors: [Processor; CPUS],
    pub registers: &'static [Registers; VCPUS],
    pub words: BTreeMap<u64, u32>,
    pub bytes: BTreeMap<u64, u8>,
    pub shown: Vec<Shown>,
    pub console: Vec<u8>,
    /// Copies into memory: to, from, bytes.
    pub copies: Vec<(u64, u64, u64)>,
    /// Memory that was cleared: from where, bytes, and how many copies there had been.
    pub clears: Vec<(u64, u64, usize)>,
    /// Space of the console's line in bytes, and whether the hypervisor waits for more.
    pub room: usize,
    pub behind: bool,
    /// For how many more it has room when it was found full.
    pub refill: usize,
    /// The bytes that were typed and not read.
    pub input: VecDeque<u8>,
    pub flushes: u64,
    /// How often each processor was called.
    pub calls: [u64; CPUS],
    /// How often the lock was taken.
    pub holds: u64,
    /// How often interrupts were taken from the interrupt controller.
    pub acknowledged: u64,
    /// Number of reads of the time, and of requests for an interrupt, by the hypervisor since it
    /// took the lock.
    asked: u64,
    /// Operation on memory without the lock that it has requested since then.
    moves: Option<Move>,
    /// Contents of the identification registers, by CRm and op2, where they are not the same as
    /// everywhere.
    pub identity: BTreeMap<(u32, u32), u64>,
    /// Shared interrupts that were routed, or set to a level.
    pub lines: BTreeMap<u32, Line>,
    /// An asynchronous error is on its way.
    pub error: bool,
}

/// How much is cleared, and copied, between two looks for interrupts.
const CLEARED: u64 = 0x8000;
const COPIED: u64 = 0x1000;

/// An operation on memory.
#[derive(Clone, Copy)]
enum Move {
    Clear(u64, u64),
    Copy(u64, u64, u64),
}

/// A shared interrupt.
#[derive(Clone, Copy, Default)]
pub(super) struct Line {
    /// Where it comes to; none while it is disabled.
    cpu: Option<usize>,
    /// Whether its device requests it.
    pub high: bool,
    /// It was acknowledged, and not ended.
    pub active: bool,
}

/// How often the hypervisor may ask while it has the lock: it has a few hundred timers.
const PATIENCE: u64 = 10_000;
const SECOND: u64 = 1_000_000_000;

thread_local! {
    static MACHINE: RefCell<Option<State>> = const { RefCell::new(None) };
}

/// A new machine for this host thread.
pub(super) fn begin(call: u64) -> &'static [Registers; VCPUS] {
    let registers: &'static [Registers; VCPUS] = Box::leak(Box::default());
    let state = State {
        now: 0,
        hertz: SECOND,
        rate: Rate::of(SECOND).expect("a rate"),
        cpu: 0,
        addresses: Addresses::default(),
        locked: false,
        call,
        processors: [Processor::default(); CPUS],
        registers,
        words: BTreeMap::new(),
        bytes: BTreeMap::new(),
        shown: Vec::new(),
        console: Vec::new(),
        copies: Vec::new(),
        clears: Vec::new(),
        room: usize::MAX,
        behind: false,
        refill: 0,
        input: VecDeque::new(),
        flushes: 0,
        calls: [0; CPUS],
        holds: 0,
        acknowledged: 0,
        asked: 0,
        moves: None,
        identity: BTreeMap::new(),
        lines: BTreeMap::new(),
        error: false,
    };
    MACHINE.with(|machine| *machine.borrow_mut() = Some(state));
    registers
}

/// Reads the machine, or changes it. Not while the hypervisor works.
pub(super) fn with<R>(look: impl FnOnce(&mut State) -> R) -> R {
    MACHINE.with(|machine| look(machine.borrow_mut().as_mut().expect("a machine has begun")))
}

/// The time of the machine, in nanoseconds.
pub fn counter() -> u64 {
    with(|machine| machine.now)
}

/// Returns the value of the machine's counter.
pub fn ticks() -> u64 {
    with(|machine| machine.ticks())
}

impl State {
    /// Returns the value of the counter.
    fn ticks(&self) -> u64 {
        (u128::from(self.now) * u128::from(self.hertz) / u128::from(SECOND)) as u64
    }

    /// When the counter comes to `tick`, or never.
    fn time_of(&self, tick: u64) -> u64 {
        let nanos = (u128::from(tick) * u128::from(SECOND)).div_ceil(self.hertz.into());
        u64::try_from(nanos).unwrap_or(u64::MAX)
    }

    /// The processor that acts.
    fn here(&mut self) -> &mut Processor {
        assert!(self.locked, "the hypervisor works with the lock held");
        &mut self.processors[self.cpu]
    }

    /// The VCPU that has its list registers in the processor that acts.
    fn listed(&self) -> usize {
        assert_eq!(held(), 1, "list registers go with an interrupt controller");
        self.processors[self.cpu].loaded.expect("a VCPU is loaded")
    }

    /// Returns when the virtual timer of the VCPU that `cpu` has loaded begins to request an
    /// interrupt.
    fn timer_due(&self, cpu: usize) -> Option<u64> {
        let processor = &self.processors[cpu];
        let timer = self.registers[processor.loaded?].timer();
        (timer.control & 3 == 1 && !processor.timer_active).then(|| self.time_of(timer.compare))
    }

    /// When a physical interrupt comes to `cpu`.
    pub fn interrupt_at(&self, cpu: usize) -> Option<u64> {
        let processor = &self.processors[cpu];
        let asked = self.has_notice(cpu) || self.has_console(cpu) || self.line_of(cpu).is_some();
        let notice = asked.then_some(0);
        let all = [
            processor.alarm,
            processor.called,
            self.timer_due(cpu),
            notice,
        ];
        all.into_iter().flatten().min()
    }

    /// The console has input, or space for which the hypervisor waits: an interrupt of the first
    /// processor.
    fn has_console(&self, cpu: usize) -> bool {
        cpu == 0 && (self.behind && self.room > 0 || !self.input.is_empty())
    }

    fn has_notice(&self, cpu: usize) -> bool {
        let loaded = self.processors[cpu].loaded;
        loaded.is_some_and(|vcpu| self.registers[vcpu].has_notice())
    }

    /// The first shared interrupt that comes to `cpu`.
    fn line_of(&self, cpu: usize) -> Option<u32> {
        let comes = |line: &Line| line.high && !line.active && line.cpu == Some(cpu);
        let found = self.lines.iter().find(|(_, line)| comes(line));
        found.map(|(&number, _)| number)
    }

    /// An exit of `cpu` begins.
    pub fn begin_exit(&mut self, cpu: usize, addresses: Addresses) {
        (self.cpu, self.asked, self.addresses) = (cpu, 0, addresses);
    }

    fn ask(&mut self) {
        self.asked += 1;
        assert!(self.asked < PATIENCE, "the hypervisor comes to an end");
    }

    /// A piece of memory is to be cleared or copied: in the time of a VCPU, one when the lock is
    /// given back.
    fn ask_to_move(&mut self, piece: Move) {
        assert!(self.here().loaded.is_some(), "nobody's time");
        assert!(self.moves.replace(piece).is_none(), "one at a time");
    }

    /// Moves it in pieces until an interrupt comes, if the hypervisor calls again after that; only
    /// one where it takes `long`.
    pub fn move_pieces(&mut self, again: bool, long: bool) {
        assert!(!self.locked, "others wait for the lock");
        let work = self.moves.take();
        assert!(again || work.is_none(), "it goes on without its memory");
        let Some(work) = work else { return };
        let (whole, piece) = match work {
            Move::Clear(_, bytes) => (bytes, CLEARED),
            Move::Copy(_, _, bytes) => (bytes, COPIED),
        };
        let mut done = 0;
        while done < whole {
            let bytes = piece.min(whole - done);
            match work {
                Move::Clear(at, _) => self.clears.push((at + done, bytes, self.copies.len())),
                Move::Copy(to, from, _) => self.copies.push((to + done, from + done, bytes)),
            }
            done += bytes;
            self.processors[self.cpu].moved = done;
            let interrupt = self.interrupt_at(self.cpu);
            if long || interrupt.is_some_and(|at| at <= self.now) {
                return;
            }
        }
    }

    fn acknowledge(&mut self) -> Option<u32> {
        let (now, cpu) = (self.now, self.cpu);
        self.acknowledged += 1;
        self.ask();
        let due = |at: Option<u64>| at.is_some_and(|at| at <= now);
        if due(self.processors[cpu].called) {
            self.processors[cpu].called = None;
            return Some(CALL_INTERRUPT);
        }
        if due(self.processors[cpu].alarm) {
            return Some(ALARM);
        }
        if due(self.timer_due(cpu)) {
            self.processors[cpu].timer_active = true;
            return Some(TIMER);
        }
        if self.has_console(cpu) {
            return Some(CONSOLE_INTERRUPT);
        }
        if let Some(number) = self.line_of(cpu) {
            self.lines.entry(number).or_default().active = true;
            return Some(number);
        }
        self.has_notice(cpu).then_some(MAINTENANCE)
    }
}

/// The machine as the hypervisor sees it.
pub struct Mock;

/// Payload of the panic with which [`Hardware::off`] ends a run.
pub(super) struct Off;

impl Hardware for Mock {
    type Context = Registers;
    type Lists = Lists<'static>;
    type Lock = OneAtATime;

    fn cpu() -> usize {
        with(|machine| machine.cpu)
    }
    fn lock() {
        with(|machine| {
            machine.asked = 0;
            machine.holds += 1;
            assert_eq!(held(), 0, "the one lock comes before a partition's");
            assert!(!core::mem::replace(&mut machine.locked, true));
        });
    }
    fn unlock() {
        with(|machine| assert!(core::mem::replace(&mut machine.locked, false)));
    }
    fn now() -> Instant {
        with(|machine| machine.rate.instant(machine.ticks()))
    }
    fn instant(ticks: u64) -> Instant {
        with(|machine| machine.rate.instant(ticks))
    }
    fn ticks() -> u64 {
        with(|machine| {
            machine.ask();
            machine.ticks()
        })
    }
    fn set_alarm(at: Option<Instant>) {
        with(|machine| {
            let at = at.map(|at| machine.time_of(machine.rate.tick_of(at)));
            machine.here().alarm = at;
        });
    }
    fn call(cpu: usize) {
        with(|machine| {
            let at = machine.now + machine.call;
            machine.calls[cpu] += 1;
            let called = &mut machine.processors[cpu].called;
            *called = Some(called.map_or(at, |before| before.min(at)));
        });
    }
    fn acknowledge() -> Option<u32> {
        with(State::acknowledge)
    }
    fn deactivate(number: u32) {
        with(|machine| {
            if number == TIMER {
                machine.here().timer_active = false;
            } else if let Some(line) = machine.lines.get_mut(&number) {
                line.active = false;
            }
        });
    }
    fn route(number: u32, cpu: Option<usize>) {
        with(|machine| machine.lines.entry(number).or_default().cpu = cpu);
    }
    fn is_asserted(number: u32) -> bool {
        with(|machine| machine.lines.get(&number).is_none_or(|line| line.high))
    }
    fn set_timer_active(active: bool) {
        with(|machine| machine.here().timer_active = active);
    }
    fn addresses() -> Addresses {
        with(|machine| machine.addresses)
    }
    fn context(vcpu: usize) -> &'static Registers {
        with(|machine| &machine.registers[vcpu])
    }
    fn save(vcpu: usize) {
        with(|machine| assert_eq!(machine.here().loaded.take(), Some(vcpu)));
    }
    fn load(vcpu: usize, _: usize, wait_trapped: bool) {
        with(|machine| {
            let elsewhere = machine.processors.iter().any(|p| p.loaded == Some(vcpu));
            assert!(!elsewhere, "a VCPU runs on one processor");
            let here = machine.here();
            assert_eq!(here.loaded, None, "what ran is saved first");
            (here.loaded, here.wait_trapped) = (Some(vcpu), wait_trapped);
        });
    }
    fn lists() -> Lists<'static> {
        with(|machine| machine.registers[machine.listed()].loaded())
    }
    fn timer() -> VirtualTimer {
        with(|machine| {
            let loaded = machine.processors[machine.cpu].loaded;
            machine.registers[loaded.expect("a VCPU is loaded")].timer()
        })
    }
    fn translate(address: u64, _: bool) -> Option<u64> {
        Some(address.checked_sub(layout::MEMORY)? + layout::PARTITIONS)
    }
    fn take_error() -> bool {
        with(|machine| core::mem::take(&mut machine.error))
    }
    fn identity(crm: u32, op2: u32) -> u64 {
        const EVERYWHERE: u64 = 0x1111_1111_1111_1111;
        with(|machine| {
            machine
                .identity
                .get(&(crm, op2))
                .copied()
                .unwrap_or(EVERYWHERE)
        })
    }
    fn flush(_: usize) {
        with(|machine| machine.flushes += 1);
    }
    fn map(_: usize, at: u64, physical: u64, bytes: u64, _: Kind) -> Result<(), MapError> {
        match (at | physical | bytes) % 4096 {
            0 => Ok(()),
            _ => Err(MapError::Range),
        }
    }
    fn clear(at: u64, bytes: u64) {
        with(|machine| machine.ask_to_move(Move::Clear(at, bytes)));
    }
    fn copy(to: u64, from: u64, bytes: u64) {
        with(|machine| machine.ask_to_move(Move::Copy(to, from, bytes)));
    }
    fn take_moved() -> u64 {
        with(|machine| core::mem::take(&mut machine.here().moved))
    }
    fn read_word(physical: u64) -> u32 {
        with(|machine| machine.words.get(&physical).copied().unwrap_or(0))
    }
    fn write_word(physical: u64, value: u32) {
        with(|machine| machine.words.insert(physical, value));
    }
    fn read_byte(physical: u64) -> u8 {
        with(|machine| machine.bytes.get(&physical).copied().unwrap_or(0))
    }
    fn write_byte(physical: u64, value: u8) {
        with(|machine| machine.bytes.insert(physical, value));
    }
    fn write(bytes: &[u8]) -> usize {
        with(|machine| {
            let sent = bytes.len().min(machine.room);
            machine.console.extend_from_slice(&bytes[..sent]);
            machine.room -= sent;
            machine.behind = sent < bytes.len();
            if sent == 0 {
                machine.room = machine.refill;
            }
            sent
        })
    }
    fn read() -> Option<u8> {
        with(|machine| machine.input.pop_front())
    }
    fn show(vcpu: Option<usize>) {
        with(|machine| {
            let shown = (machine.now, machine.cpu, vcpu);
            machine.shown.push(shown);
        });
    }
    fn off() -> ! {
        std::panic::resume_unwind(Box::new(Off))
    }
}
