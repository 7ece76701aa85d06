//! Owns: the invariants of the instances about which seats decide, between any two acts. For tests
//! and tools.
//! Must never know: how a decider keeps them; an invariant of one decider alone, which checks it
//! itself.

use super::{Decider, Home, Ready, Router, Rows};
use crate::smp::{Instance, Thread, Violation};
use crate::{Cpu, CpuSet};

/// The result of the check of an invariant.
pub(super) type Law = Result<(), &'static str>;

/// Returns whether the invariant `law` holds, as `holds` says.
pub(super) fn law(holds: bool, law: &'static str) -> Law {
    holds.then_some(()).ok_or(law)
}

/// An instance about which seats decide.
struct Seated<'l, 'a, W: Rows, Q: Ready<W::Id>, const N: usize> {
    router: &'l Router<'a, W::Id, W::Seat, Q, N>,
    w: &'l W,
    instance: Instance,
    decider: Decider<'a, W::Id, W::Seat, Q, N>,
}

impl<'a, Id: Copy + Eq, Seat: Copy, Q: Ready<Id>, const N: usize> Router<'a, Id, Seat, Q, N> {
    /// Checks the invariants of the rows and those of the seats. Nothing changes but the rows of
    /// threads, as by [`Router::look`]. As many steps as there are locks and threads, in each
    /// instance.
    ///
    /// # Errors
    /// The first invariant that is found broken.
    pub fn check<W: Rows<Id = Id, Seat = Seat>>(&mut self, w: &W) -> Result<(), Violation> {
        self.look(w);
        self.system.check_invariants()?;
        self.check_seats(w)
    }

    /// Checks the invariants of the seats. As many steps as there are threads and instances, each.
    ///
    /// # Errors
    /// The first invariant that is found broken.
    pub fn check_seats<W: Rows<Id = Id, Seat = Seat>>(&self, w: &W) -> Result<(), Violation> {
        for home in self.homes {
            self.check_home(w, home)?;
        }
        let mut all = self.system.online().into_iter();
        all.try_for_each(|cpu| self.check_registers(w, cpu))
    }

    fn check_home<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        home: &'a Home<Id, Seat, Q, N>,
    ) -> Result<(), Violation> {
        let (instance, decider) = (home.instance(), home.decider());
        let Ok(cpus) = self.system.processors(instance) else {
            return Ok(());
        };
        let broken = |law| Violation {
            law,
            thread: None,
            instance: Some(instance),
            cpu: None,
        };
        if home.lends() {
            let mut all = cpus.into_iter();
            return all.try_for_each(|cpu| self.check_loan(w, home, cpu));
        }
        decider.check(w).map_err(broken)?;
        let seated = Seated {
            router: self,
            w,
            instance,
            decider,
        };
        seated.check_seats(cpus)?;
        seated.check_rings().map_err(broken)?;
        law(
            !home.is_watched() || self.owners_have_seats(w, decider),
            "an owner with others waiting for it that is ready has a seat, or seats are lent",
        )
        .map_err(broken)
    }

    /// Returns whether no thread that owns a seated lock is in the rings of `decider`.
    fn owners_have_seats<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        decider: Decider<'_, Id, Seat, Q, N>,
    ) -> bool {
        let mut have = true;
        decider.for_each(w, |id| {
            let owns = w.row(id).is_some_and(|row| self.system.owns_seated(row));
            have &= !owns || decider.seat_of(w, id).is_some();
        });
        have
    }

    /// Checks the invariants of the seat of `cpu`, of `home`, which lends.
    fn check_loan<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        home: &Home<Id, Seat, Q, N>,
        cpu: Cpu,
    ) -> Result<(), Violation> {
        let user = self.told_user(w, cpu);
        let broken = |law| Violation {
            law,
            thread: user.and_then(|user| w.row(user)),
            instance: Some(home.instance()),
            cpu: Some(cpu),
        };
        let uses = |other: Cpu| user.is_some() && self.told_user(w, other) == user;
        let mut others = self.system.online().without(cpu).into_iter();
        law(!others.any(uses), "a thread uses one seat").map_err(broken)?;
        let is_ready = user.is_none_or(|user| w.is_ready(user));
        law(is_ready, "the user of a seat is ready").map_err(broken)?;
        let seat = w.seat(cpu.index());
        if !w.knows_heir(seat) {
            return Ok(());
        }
        let has = |other: Cpu| Some(w.current(w.seat(other.index()))) == user;
        let idle = w.idle(cpu.index());
        let mut others = self.system.online().without(cpu).into_iter();
        let heir = match others.find(|other| has(*other)) {
            None => user.unwrap_or(idle),
            Some(other) => {
                let asks = !w.knows_heir(w.seat(other.index()));
                law(
                    asks,
                    "the processor that has the registers of a user elsewhere is to ask",
                )
                .map_err(broken)?;
                idle
            }
        };
        let is = w.heir(seat) == heir;
        law(
            is,
            "the heir is the user of the seat, once its registers are nowhere else",
        )
        .map_err(broken)
    }

    /// The registers on `cpu` are those of one that may have them there, where seats decide about
    /// it.
    fn check_registers<W: Rows<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        cpu: Cpu,
    ) -> Result<(), Violation> {
        let current = w.current(w.seat(cpu.index()));
        let Some(row) = w.row(current).filter(|_| w.is_ready(current)) else {
            return Ok(());
        };
        let home = self.system.scheduler(row).ok();
        let home = home.filter(|home| !self.lends(*home));
        let Some((home, seats)) = home.and_then(|home| Some((home, self.seats_of(home)?))) else {
            return Ok(());
        };
        let cpus = self.system.processors(home).unwrap_or_default();
        let knows = seats.place_of(w, current) == Some(cpu.index());
        law(
            cpus.contains(cpu) && knows,
            "the registers of a ready thread are nowhere, or on a processor of its home, and it is noted on which",
        )
        .map_err(|law| Violation {
            law,
            thread: Some(row),
            instance: Some(home),
            cpu: Some(cpu),
        })
    }
}

impl<W: Rows, Q: Ready<W::Id>, const N: usize> Seated<'_, '_, W, Q, N> {
    fn check_seats(&self, cpus: CpuSet) -> Result<(), Violation> {
        let (mut seen, mut found) = (CpuSet::EMPTY, Ok(()));
        self.decider.for_each_seat(self.w, |number, owner| {
            let cpu = Cpu::masked(number as u8);
            let holds = law(
                cpus.contains(cpu) && !seen.contains(cpu) && self.decider.decides(number),
                "a seat is that of a processor of its instance",
            );
            seen = seen.with(cpu);
            let holds = holds.and_then(|()| match owner {
                Some(owner) => self.check_owner(number, owner),
                None => self.check_free(number),
            });
            found = found.and(holds.map_err(|law| Violation {
                law,
                thread: owner.and_then(|owner| self.w.row(owner)),
                instance: Some(self.instance),
                cpu: Some(cpu),
            }));
        });
        found.and(
            law(seen == cpus, "each processor has a seat").map_err(|law| Violation {
                law,
                thread: None,
                instance: Some(self.instance),
                cpu: None,
            }),
        )
    }

    /// Whether `id` is one that has a seat here, or waits for one.
    fn is_due(&self, id: W::Id) -> bool {
        let row = self.w.row(id);
        row.is_some_and(|row| self.w.is_ready(id) && !self.is_throttled(row))
            && self.w.is_at_home(id, self.instance)
    }

    fn is_throttled(&self, row: Thread) -> bool {
        W::THROTTLES && self.router.system.is_throttled(row)
    }

    fn check_owner(&self, cpu: usize, owner: W::Id) -> Law {
        law(
            self.is_due(owner) && self.decider.allows(self.w, owner, cpu),
            "the owner of a seat is a ready thread of the instance that may run there",
        )?;
        law(
            self.decider.seat_of(self.w, owner) == Some(cpu),
            "an owner has one seat, and it is noted which",
        )?;
        let online = self.router.system.online().into_iter().map(Cpu::index);
        let mut others = online.filter(|other| *other != cpu);
        let elsewhere = others.find(|other| self.w.current(self.w.seat(*other)) == owner);
        let Some(elsewhere) = elsewhere else {
            return self.check_heir(cpu, owner);
        };
        law(
            self.decider.shifts() && !self.w.knows_heir(self.w.seat(elsewhere)),
            "an owner has its registers nowhere, or where it sits, or that processor is to ask",
        )?;
        self.check_heir(cpu, self.w.idle(cpu))
    }

    fn check_free(&self, cpu: usize) -> Law {
        self.check_heir(cpu, self.w.idle(cpu))
    }

    fn check_heir(&self, cpu: usize, heir: W::Id) -> Law {
        let seat = self.w.seat(cpu);
        let holds = match self.w.knows_heir(seat) {
            true => self.w.heir(seat) == heir,
            false => self.decider.shifts(),
        };
        law(
            holds,
            "the heir of a processor is the owner of its seat, or the idle thread",
        )
    }

    fn check_rings(&self) -> Law {
        let (mut standing, mut owners, mut due) = (0, 0, true);
        self.decider.for_each(self.w, |id| {
            due &= self.is_due(id);
            if self.decider.seat_of(self.w, id).is_none() {
                standing += 1;
            }
        });
        law(due, "only ready threads of the instance stand in its rings")?;
        self.decider
            .for_each_seat(self.w, |_, owner| owners += usize::from(owner.is_some()));
        let all = self.router.system.rows().filter(|row| {
            let id = self.w.thread(*row);
            id.is_some_and(|id| self.w.row(id) == Some(*row) && self.is_due(id))
        });
        law(
            all.count() == standing + owners,
            "each ready thread has a seat, or stands in the rings",
        )
    }
}
