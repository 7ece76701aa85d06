//! Owns: carrying a decision out on a processor (spec 01, 2.3 and 2.4). Must never know: how registers are saved.

use super::System;
use crate::{
    Cpu,
    smp::{Dispatch, Effects, Error, Thread, ids::NONE, node::NodeRecord, thread::ThreadRecord},
};
use taktos_time::Instant;

impl System<'_> {
    /// What `cpu` shall do now, having saved the registers of the thread that it executed.
    ///
    /// Requests for help that wait here are carried out first, and a pin of the executing thread takes effect. Where the heir
    /// is what executes already, a fixed number of steps; with requests, those of an insertion for each instance asked. While
    /// threads spin for locks, so many steps as processors and owners along the chains.
    ///
    /// # Errors
    /// [`Error::InvalidNumber`]: the processor is not online.
    #[inline]
    pub fn dispatch(
        &mut self,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<Dispatch, Error> {
        if !self.online.contains(cpu) {
            return Err(Error::InvalidNumber);
        }
        self.acting = cpu;
        let executing = self.processors[cpu.index()].executing;
        if executing != NONE {
            self.apply_pin(cpu, executing, now, effects);
        }
        if self.processors[cpu.index()].asks_first != NONE {
            self.answer_requests(cpu, now, effects);
        }
        self.let_owners_lead(now, effects);
        let heir = self.processors[cpu.index()].heir;
        if heir != executing {
            if executing != NONE {
                self.let_go(cpu, executing, effects);
            }
            let live_on = self.thread(heir).live_on;
            if live_on != ThreadRecord::NOWHERE {
                return Ok(Dispatch::Wait {
                    thread: Thread(heir),
                    registers_on: Cpu::masked(live_on),
                });
            }
            self.thread_mut(heir).live_on = cpu.index() as u8;
            self.processors[cpu.index()].executing = heir;
        }
        if self.thread(heir).helper != NodeRecord::NO_HELPER {
            self.reconsider(heir, effects);
        }
        Ok(Dispatch::Run(Thread(heir)))
    }

    /// The registers of `id` are no longer on `cpu`. A processor that waits for them is told.
    #[inline]
    fn let_go(&mut self, cpu: Cpu, id: u16, effects: &mut impl Effects) {
        self.processors[cpu.index()].executing = NONE;
        let record = self.thread_mut(id);
        record.live_on = ThreadRecord::NOWHERE;
        if !record.exists {
            return self.free(id);
        }
        let wanted = Cpu::masked(record.cpu);
        let waiting = &self.processors[wanted.index()];
        if waiting.heir == id && waiting.executing == NONE {
            effects.preempt(wanted);
        }
    }

    /// Carries out what threads have asked for that lost their processors by calls on `cpu`, before
    /// its next dispatch. Bound: that of [`System::dispatch`].
    pub fn answer(&mut self, cpu: Cpu, now: Instant, effects: &mut impl Effects) {
        if self.online.contains(cpu) {
            self.answer_requests(cpu, now, effects);
            self.let_owners_lead(now, effects);
        }
        for cpu in self.online {
            let heir = self.processors[cpu.index()].heir;
            if heir != NONE && self.thread(heir).helper != NodeRecord::NO_HELPER {
                self.reconsider(heir, effects);
            }
        }
    }
}
