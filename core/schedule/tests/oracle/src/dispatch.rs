//! Owns: carrying a decision out on a processor (spec 01, 2.3 and 2.4). Must never know: how
//! registers are saved.

use crate::{Dispatch, Effects};
use crate::{System, thread};
use taktos_schedule::Cpu;
use taktos_schedule::smp::Error;
use taktos_time::Instant;

impl System {
    /// The next act of `cpu`, having saved the registers of the thread that it executed.
    ///
    /// Requests for help that wait here are carried out first, and a pin of the executing thread
    /// takes effect.
    ///
    /// # Errors
    /// [`Error::InvalidNumber`]: the processor is not online.
    pub fn dispatch(
        &mut self,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Dispatch, Error> {
        if !self.online.contains(cpu) {
            return Err(Error::InvalidNumber);
        }
        Ok(self.at(now, effects, |system| system.carry_out(cpu)))
    }

    fn carry_out(&mut self, cpu: Cpu) -> Dispatch {
        self.acting = cpu;
        let executing = self.processor(cpu).executing;
        if let Some(executing) = executing {
            self.apply_pin(cpu, executing);
        }
        self.answer_requests(cpu);
        self.let_owners_lead();
        let heir = self.processor(cpu).heir;
        let heir = heir.expect("a processor online has an heir");
        if Some(heir) != executing {
            if let Some(executing) = executing {
                self.let_go(cpu, executing);
            }
            if let Some(registers_on) = self.threads[heir].live_on {
                return Dispatch::Wait {
                    thread: thread(heir),
                    registers_on,
                };
            }
            self.threads[heir].live_on = Some(cpu);
            self.processor_mut(cpu).executing = Some(heir);
        }
        if !self.threads[heir].helpers.is_empty() {
            self.reconsider(heir);
        }
        Dispatch::Run(thread(heir))
    }

    /// Notes that the registers of `id` are no longer on `cpu`. A processor that waits for them is
    /// notified.
    fn let_go(&mut self, cpu: Cpu, id: usize) {
        self.processor_mut(cpu).executing = None;
        let record = &mut self.threads[id];
        record.live_on = None;
        if !record.exists {
            return self.free_threads.push(id);
        }
        if let Some(wanted) = record.cpu {
            let waiting = self.processor(wanted);
            if waiting.heir == Some(id) && waiting.executing.is_none() {
                self.preempt(wanted);
            }
        }
    }

    /// Carries out the requests of threads that lost their processors by calls on `cpu`, before
    /// its next dispatch.
    pub fn answer(&mut self, cpu: Cpu, now: Instant, effects: &mut impl Effects) {
        self.at(now, effects, |system| {
            if system.online.contains(cpu) {
                system.answer_requests(cpu);
                system.let_owners_lead();
            }
            for cpu in system.online {
                let heir = system.processor(cpu).heir;
                let helped = |heir: &usize| !system.threads[*heir].helpers.is_empty();
                if let Some(heir) = heir.filter(helped) {
                    system.reconsider(heir);
                }
            }
        });
    }
}
