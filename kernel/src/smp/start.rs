//! Owns: how a kernel for several processors begins. Must never know: how a processor is switched
//! on.

use super::{SmpMemory, View, turn::level};
use crate::critical_section::CriticalSection;
use crate::thread::tcb::{Running, ThreadRef};
use crate::thread::{Thread, begin};
use crate::wait::inherit::Place;
use crate::{Error, Kernel, Priority, System};
use taktos_machine::Machine;
use taktos_schedule::smp::seats::SEATS;
use taktos_schedule::smp::{self, InstanceConfig, PolicyKind};
use taktos_schedule::{Cpu, CpuSet};

/// Starts the kernel on `PROCESSORS` processors, with `instances` of schedulers, and with one
/// thread, `main`, which runs `entry` at its priority in the instance that has processor 0, and
/// starts the others. Called once, by the board, on processor 0, with interrupts masked. Never
/// comes back: a board ends by [`System::exit`].
///
/// Processors that no instance names stay idle; they are in no one's reach. More than eight do not
/// compile.
///
/// # Panics
/// If the memory was used before, or `main` exists; if `PROCESSORS` is more than the machine has;
/// with the library's words, if the instances do not fit the processors or the memory.
pub fn run_smp<
    S: System,
    const N: usize,
    const T: usize,
    const I: usize,
    const P: usize,
    const L: usize,
>(
    main: &'static Thread<S, N>,
    memory: &'static SmpMemory<S, T, I, P, L>,
    instances: &[InstanceConfig],
    entry: fn(),
) -> ! {
    const {
        assert!(
            P <= SEATS,
            "a kernel has eight processors at most: so many seats may an instance have"
        );
        assert!(
            P <= <S::Machine as Machine>::PROCESSORS && T > P,
            "as many processors as the machine has at most, and a row for each and for the threads"
        );
    }
    // The other processors do not run yet.
    // SAFETY: called once, with interrupts masked.
    let cs = unsafe { CriticalSection::assume() };
    match prepare(cs, main, memory, instances, entry) {
        Ok(()) => S::Machine::start(),
        Err(error) => panic!("the kernel cannot start: {error}"),
    }
}

fn prepare<
    S: System,
    const N: usize,
    const T: usize,
    const I: usize,
    const P: usize,
    const L: usize,
>(
    cs: CriticalSection<'_>,
    main: &'static Thread<S, N>,
    memory: &'static SmpMemory<S, T, I, P, L>,
    instances: &[InstanceConfig],
    entry: fn(),
) -> Result<(), smp::Error> {
    let mut tables = memory.take(cs).ok_or(smp::Error::ResourceInUse)?;
    if instances.iter().all(|i| i.policy != PolicyKind::Cbs) {
        // If no thread has a budget, no budget needs to be checked.
        tables.servers = &mut [];
    }
    let system = smp::System::new(tables, CpuSet::first(P), instances)?;
    let several = &memory.several;
    several.begin(
        cs,
        system,
        memory.homes(),
        (
            &memory.rows,
            &memory.branches,
            &memory.limits,
            &memory.turns,
        ),
        (&memory.lenders, &memory.spinners),
    );
    for (number, idle) in memory.idle.iter().enumerate() {
        idle.create_idle(cs);
        several.idle[number].set(cs, Some(idle.reference()));
        let running = Running(S::Machine::processor_numbered(number));
        running.set_heir(cs, idle.reference());
        running.0.current.set(idle.reference().context());
    }
    several.begin_seats(cs);
    main.start_main(cs, begin::<S>, entry as usize)
        .map_err(|_| smp::Error::IncorrectState)?;
    let running = Running(S::Machine::processor_numbered(0));
    let first = S::kernel().next_on(cs, 0);
    running.0.current.set(first.context());
    Ok(())
}

impl<S: System> Kernel<S> {
    /// Gives `thread` a row in the library's table: blocked, at home where its creator is.
    pub(crate) fn register_thread(
        &self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        priority: Priority,
    ) -> Result<(), Error> {
        let several = S::smp();
        let home = self.first_home(cs).ok_or(Error::Parameter)?;
        let row = several
            .with(cs, |scheduler| {
                let system = scheduler.system_mut();
                system.create(home, level(priority), None)
            })
            .ok_or(Error::Context)?
            .map_err(super::place::error_of)?;
        if let Some(place) = several.threads.get(cs).get(row.index()) {
            place.set(cs, Some(thread));
        }
        thread.set_row(cs, Some(row));
        thread.forget_charges(cs);
        let home = several.home(cs, home);
        thread.set_home(cs, home);
        if let Some(home) = home {
            // As in the tables: nothing was said of it.
            home.begin_with(&View::<S>::new(cs), thread, CpuSet::ALL);
        }
        Ok(())
    }

    /// The instance in which a thread that the running one creates is at home: the same; for one
    /// that an idle thread creates, which is before the start, or a handler that interrupted
    /// it, that of processor 0.
    fn first_home(&self, cs: CriticalSection<'_>) -> Option<smp::Instance> {
        let here = Running(S::Machine::processor_numbered(S::Machine::number()));
        if let Some(home) = here.current(cs).home(cs) {
            return Some(home.instance());
        }
        S::smp()
            .ask(cs, |system| system.instance_of_cpu(Cpu::new(0)?).ok())
            .flatten()
    }

    /// The priority with which `thread` was created, or came to its instance.
    pub(crate) fn initial_priority_in_instance(
        cs: CriticalSection<'_>,
        thread: ThreadRef,
    ) -> Option<Priority> {
        let row = thread.row(cs)?;
        let initial = S::smp()
            .ask(cs, |system| system.initial_priority(row))?
            .ok()?;
        Some(Priority::from_stored(initial.0 as u8))
    }

    /// Takes the row of `thread`, which ceases to exist, away. The cluster mutexes that it owned go
    /// to their waiters.
    pub(crate) fn remove_thread(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        let Some(row) = thread.row(cs) else { return };
        S::smp().ask(cs, |system| {
            let _ = system.delete(row);
        });
        thread.set_row(cs, None);
        thread.set_home(cs, None);
    }

    /// Makes `thread`, the first one, ready on processor 0.
    pub(crate) fn ready_first(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        self.enter_ready(cs, thread, Place::Last);
    }
}
