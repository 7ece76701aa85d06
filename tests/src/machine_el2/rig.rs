//! Owns: the run of a machine: which processor has its turn, and how far time advances.
//! Must never know: what the hypervisor makes of it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use taktos_abi::vm::Description;
use taktos_hypervisor::hardware::{Addresses, Context, Exit, Hardware, Next};
use taktos_hypervisor::rate::Rate;
use taktos_hypervisor::{Hypervisor, Memory, Rest, Shared};

use super::context::Registers;
use super::hardware::{self, Mock, Off, Shown};
use super::{Act, HYPERCALL, PHYSICAL_TIMER_OFF, WAIT, access};

/// Times that operations of the machine take, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Costs {
    /// Each exit of a guest, before the hypervisor deals with it.
    pub exit: u64,
    /// From one processor's call to the other's interrupt.
    pub call: u64,
}

/// State that a guest sees when it has to decide.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The time.
    pub now: u64,
    /// Results of its last call or access: x0 and x5.
    pub answer: [u64; 2],
}

/// A program of one VCPU.
pub trait Guest {
    /// It has been reset: it begins again.
    fn begin(&mut self);
    /// Returns its next act.
    fn next(&mut self, view: View) -> Act;
    /// Whether it takes no interrupts, as a kernel that has masked them.
    fn is_masked(&self) -> bool {
        false
    }
}

/// Where a VCPU is in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Running {
        left: u64,
    },
    /// In a WFI that the processor carries out itself.
    Waiting,
    Deciding,
}

struct Program {
    guest: Box<dyn Guest>,
    doing: Doing,
    resets: u64,
}

/// A machine with the hypervisor on it.
pub struct Rig {
    hypervisor: Box<Hypervisor<Mock>>,
    shared: &'static Shared<Mock>,
    registers: &'static [Registers; 16],
    programs: Vec<Program>,
    next: Vec<Next>,
    costs: Costs,
    /// When each processor can act again: an exit takes time.
    free: Vec<u64>,
    /// Exits that wait for the end of that time, or (none) calls of a processor that left no guest.
    exits: Vec<Option<Option<Exit>>>,
    addresses: Vec<Addresses>,
    over: bool,
    /// Time for which a processor that is to call again lets others act before; none: it calls at
    /// once.
    aside: Option<u64>,
    /// How often each VCPU left its guest for an interrupt.
    interrupted: [u64; 16],
}

impl Rig {
    /// A machine as `description` says, with a program for each of its VCPUs, about to start.
    ///
    /// # Panics
    /// Panics when the hypervisor refuses the description.
    pub fn new(description: &Description, guests: Vec<Box<dyn Guest>>, costs: Costs) -> Self {
        let registers = hardware::begin(costs.call);
        let description: &'static Description = Box::leak(Box::new(*description));
        let memory = Box::leak(Box::new(Memory::new()));
        let shared = Box::leak(Box::new(Shared::new()));
        Mock::lock();
        let hypervisor = Hypervisor::new(memory, shared, description).expect("a machine");
        Mock::unlock();
        let cpus = usize::from(description.cpus);
        let programs = guests.into_iter().map(|guest| Program {
            guest,
            doing: Doing::Deciding,
            resets: 0,
        });
        let mut rig = Self {
            hypervisor: Box::new(hypervisor),
            shared,
            registers,
            programs: programs.collect(),
            next: vec![Next::Idle; cpus],
            costs,
            free: vec![0; cpus],
            exits: vec![None; cpus],
            addresses: vec![Addresses::default(); cpus],
            over: false,
            aside: None,
            interrupted: [0; 16],
        };
        rig.act(0, Hypervisor::start);
        for cpu in 1..cpus {
            rig.act(cpu, Hypervisor::start_processor);
        }
        rig
    }

    /// The hypervisor, to look at.
    pub fn hypervisor(&self) -> &Hypervisor<Mock> {
        &self.hypervisor
    }

    /// The registers of a VCPU.
    pub fn registers(&self, vcpu: usize) -> &'static Registers {
        &self.registers[vcpu]
    }

    /// Returns the events that were shown so far.
    pub fn shown(&self) -> Vec<Shown> {
        hardware::with(|machine| machine.shown.clone())
    }

    /// Returns the text that was written to the console so far.
    pub fn console(&self) -> String {
        hardware::with(|machine| String::from_utf8_lossy(&machine.console).into_owned())
    }

    /// Returns the copies into partitions' memory so far: to, from, bytes.
    pub fn copies(&self) -> Vec<(u64, u64, u64)> {
        hardware::with(|machine| machine.copies.clone())
    }

    /// Returns the clears so far: from where, how many bytes, and how many copies there had been.
    pub fn clears(&self) -> Vec<(u64, u64, usize)> {
        hardware::with(|machine| machine.clears.clone())
    }

    /// Gives the console's line space for `bytes` bytes. If it had none, that is an interrupt.
    pub fn give_room(&mut self, bytes: usize) {
        hardware::with(|machine| machine.room = bytes);
    }

    /// Lets the console's line take `bytes` bytes at once, and as many again whenever it was found
    /// full.
    pub fn give_room_by(&mut self, bytes: usize) {
        hardware::with(|machine| (machine.room, machine.refill) = (bytes, bytes));
    }

    /// These bytes are typed at the console.
    pub fn type_in(&mut self, bytes: &[u8]) {
        hardware::with(|machine| machine.input.extend(bytes));
    }

    /// The time.
    pub fn now(&self) -> u64 {
        hardware::counter()
    }

    /// How often each processor was called by another one so far.
    pub fn calls(&self) -> [u64; 4] {
        hardware::with(|machine| machine.calls)
    }

    /// How often VCPU `vcpu` left its guest for a physical interrupt so far, whosever it was.
    pub fn interrupted(&self, vcpu: usize) -> u64 {
        self.interrupted[vcpu]
    }

    /// The device of shared interrupt `number` requests it, or no longer.
    pub fn set_line(&mut self, number: u32, high: bool) {
        hardware::with(|machine| machine.lines.entry(number).or_default().high = high);
    }

    /// From now on a processor that has more to do ([`Next::Again`]) lets `span` nanoseconds pass
    /// before it continues. Others act in that time.
    pub fn stand_aside(&mut self, span: u64) {
        self.aside = Some(span);
    }

    /// How often translations were forgotten so far.
    pub fn flushes(&self) -> u64 {
        hardware::with(|machine| machine.flushes)
    }

    /// Gives the machine a counter of `hertz` ticks a second. No time has passed since the start.
    ///
    /// # Panics
    /// Panics when there is no such counter.
    pub fn set_rate(&mut self, hertz: u64) {
        hardware::with(|machine| {
            assert_eq!(machine.now, 0, "a counter does not change its rate");
            machine.hertz = hertz;
            machine.rate = Rate::of(hertz).expect("a rate");
        });
    }

    /// Sets the identification register with `crm` and `op2`.
    pub fn set_identity(&mut self, crm: u32, op2: u32, value: u64) {
        hardware::with(|machine| machine.identity.insert((crm, op2), value));
    }

    /// The word of the first partition's memory at `offset`.
    pub fn set_word(&mut self, offset: u64, value: u32) {
        Mock::write_word(taktos_abi::vm::layout::PARTITIONS + offset, value);
    }

    /// Sends an asynchronous error: a write of the guest that runs has gone wrong.
    pub fn send_error(&mut self) {
        hardware::with(|machine| machine.error = true);
    }

    /// Returns how often the hypervisor read the number of the pending interrupt.
    pub fn acknowledged(&self) -> u64 {
        hardware::with(|machine| machine.acknowledged)
    }

    /// How often the hypervisor has had the lock.
    pub fn holds(&self) -> u64 {
        hardware::with(|machine| machine.holds)
    }

    /// Whether all partitions are off, and the machine with them.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The hypervisor acts on `cpu`.
    fn act(&mut self, cpu: usize, act: impl FnOnce(&mut Hypervisor<Mock>) -> Next) {
        hardware::with(|machine| machine.cpu = cpu);
        Mock::lock();
        let done = catch_unwind(AssertUnwindSafe(|| {
            let mut next = act(&mut self.hypervisor);
            while next == Next::Again && self.aside.is_none() {
                Mock::unlock();
                hardware::with(|machine| machine.move_pieces(true, false));
                Mock::lock();
                next = self.hypervisor.exit(Rest::Waited);
            }
            next
        }));
        match done {
            Ok(next) => {
                Mock::unlock();
                let again = next == Next::Again;
                hardware::with(|machine| machine.move_pieces(again, self.aside.is_some()));
                self.next[cpu] = next;
                if let (Next::Again, Some(span)) = (next, self.aside) {
                    self.free[cpu] = hardware::counter() + span;
                    self.exits[cpu] = Some(None);
                }
            }
            Err(cause) if cause.is::<Off>() => self.over = true,
            Err(cause) => resume_unwind(cause),
        }
    }

    /// The hypervisor handles an exit of `cpu`: what it can without the lock, then the rest.
    fn handle(&mut self, cpu: usize, exit: Option<Exit>) {
        let addresses = self.addresses[cpu];
        hardware::with(|machine| machine.begin_exit(cpu, addresses));
        let rest = match (exit, self.next[cpu]) {
            (Some(exit), Next::Guest(vcpu)) => self.shared.exit(&self.registers[vcpu], exit),
            _ => Some(Rest::Waited),
        };
        if let Some(rest) = rest {
            self.act(cpu, |hypervisor| hypervisor.exit(rest));
        }
    }

    /// Leaves the guest of `cpu`, which takes its time.
    fn exit(&mut self, cpu: usize, exit: Exit) {
        let now = hardware::counter();
        if let (Exit::Interrupt, Next::Guest(vcpu)) = (exit, self.next[cpu]) {
            self.interrupted[vcpu] += 1;
        }
        self.free[cpu] = now + self.costs.exit;
        self.exits[cpu] = Some(Some(exit));
    }

    /// Runs until `end`, in nanoseconds, or until the machine is off.
    pub fn run(&mut self, end: u64) {
        self.run_and(end, |_| {});
    }

    /// Runs until `end` as [`Self::run`] does, and calls `look` after each turn of the hypervisor.
    pub fn run_and(&mut self, end: u64, mut look: impl FnMut(&Self)) {
        while !self.over {
            let now = hardware::counter();
            let turn = (0..self.next.len()).find(|&cpu| self.due(cpu) <= now);
            if let Some(cpu) = turn {
                self.turn(cpu);
                look(self);
                continue;
            }
            let later = (0..self.next.len()).map(|cpu| self.due(cpu)).min();
            let later = later.unwrap_or(end).min(end);
            self.pass(later - now);
            if later == end {
                return;
            }
        }
    }

    /// When something happens on `cpu`.
    fn due(&self, cpu: usize) -> u64 {
        let now = hardware::counter();
        if self.exits[cpu].is_some() {
            return self.free[cpu];
        }
        let interrupt = hardware::with(|machine| machine.interrupt_at(cpu));
        let interrupt = interrupt.unwrap_or(u64::MAX).max(now);
        let guest = match self.next[cpu] {
            Next::Guest(vcpu) => match self.programs[vcpu].doing {
                _ if self.is_interrupted(vcpu) || self.is_new(vcpu) => now,
                Doing::Running { left } => now + left,
                Doing::Deciding => now,
                Doing::Waiting => u64::MAX,
            },
            _ => u64::MAX,
        };
        interrupt.min(guest)
    }

    fn is_interrupted(&self, vcpu: usize) -> bool {
        self.registers[vcpu].is_interrupted() && !self.programs[vcpu].guest.is_masked()
    }

    fn is_new(&self, vcpu: usize) -> bool {
        self.programs[vcpu].resets != self.registers[vcpu].resets()
    }

    /// Time passes, in which nothing begins or ends.
    fn pass(&mut self, span: u64) {
        for cpu in 0..self.next.len() {
            if let (Next::Guest(vcpu), None) = (self.next[cpu], self.exits[cpu])
                && let Doing::Running { left } = &mut self.programs[vcpu].doing
            {
                *left -= span;
            }
        }
        hardware::with(|machine| machine.now += span);
    }

    /// Something happens on `cpu` now.
    fn turn(&mut self, cpu: usize) {
        let now = hardware::counter();
        if let Some(exit) = self.exits[cpu].take() {
            return self.handle(cpu, exit);
        }
        let interrupt = hardware::with(|machine| machine.interrupt_at(cpu));
        if interrupt.is_some_and(|at| at <= now) {
            return match self.next[cpu] {
                Next::Guest(_) => self.exit(cpu, Exit::Interrupt),
                _ => self.handle(cpu, None),
            };
        }
        if let Next::Guest(vcpu) = self.next[cpu] {
            self.execute(cpu, vcpu);
        }
    }

    /// The guest in `vcpu` continues.
    fn execute(&mut self, cpu: usize, vcpu: usize) {
        let registers = &self.registers[vcpu];
        let program = &mut self.programs[vcpu];
        if program.resets != registers.resets() {
            program.resets = registers.resets();
            program.doing = Doing::Deciding;
            program.guest.begin();
        }
        let (interrupted, ended) = match program.guest.is_masked() {
            true => (false, Vec::new()),
            false => registers.take_interrupts(),
        };
        hardware::with(|machine| {
            for number in ended {
                match machine.lines.get_mut(&number) {
                    Some(line) => line.active = false,
                    // The guest's timer.
                    None => machine.processors[cpu].timer_active = false,
                }
            }
        });
        if interrupted {
            if program.doing == Doing::Waiting {
                program.doing = Doing::Deciding;
            }
            if registers.took(taktos_abi::vm::layout::PHYSICAL_TIMER_INTERRUPT) {
                self.leave(cpu, PHYSICAL_TIMER_OFF, 0, 0);
            }
            return;
        }
        if let Doing::Running { left: 1.. } | Doing::Waiting = program.doing {
            return;
        }
        let view = View {
            now: hardware::counter(),
            answer: [registers.x(0), registers.x(5)],
        };
        program.doing = Doing::Deciding;
        match program.guest.next(view) {
            Act::Run(span) => program.doing = Doing::Running { left: span },
            Act::Keep(x5, span) => {
                registers.set_x(5, x5);
                program.doing = Doing::Running { left: span };
            }
            Act::Timer(at) => registers.set_timer(at),
            Act::State(state) => registers.set_state(state),
            Act::Wait => self.wait(cpu, vcpu),
            Act::WaitUntil(at) => {
                registers.set_timer(Some(at));
                self.wait(cpu, vcpu);
            }
            Act::Call(arguments) => {
                for (n, argument) in arguments.into_iter().enumerate() {
                    registers.set_x(n, argument);
                }
                self.leave(cpu, HYPERCALL, 0, 0);
            }
            Act::Access(at, bytes, write) => {
                registers.set_x(5, write.unwrap_or(0));
                self.leave(cpu, access(bytes, write.is_some()), at, at);
            }
            Act::Exception(syndrome, address, physical, x5) => {
                registers.set_x(5, x5);
                self.leave(cpu, syndrome, address, physical);
            }
        }
    }

    fn wait(&mut self, cpu: usize, vcpu: usize) {
        let trapped = hardware::with(|machine| machine.processors[cpu].wait_trapped);
        match trapped {
            true => self.leave(cpu, WAIT, 0, 0),
            false => self.programs[vcpu].doing = Doing::Waiting,
        }
    }

    fn leave(&mut self, cpu: usize, syndrome: u64, address: u64, physical: u64) {
        self.addresses[cpu] = Addresses {
            guest: address,
            physical,
        };
        self.exit(cpu, Exit::Exception { syndrome });
    }
}
