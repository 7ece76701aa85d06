//! ARINC 653: windows of a table, one after the other, over and over.
//!
//! Owns: the table, and the window of an instant.
//! Must never know: whether a unit has work: the window of a unit that sleeps, or is not in the
//! pool, is idle.
//!
//! The behaviour is that of spec 05, section 5. The pool has one table; a unit
//! runs only on the processor that it was given when it came, so a pool makes use
//! of several processors only one window at a time.
//! A window belongs to its unit: there is no other one to yield to. The windows of a unit that
//! leaves stay in the table, and are idle. Soft affinity is of no effect. A unit moves only off a
//! processor that it may not use.
//!
//! Bounds, with w windows and n units: `schedule` ⌈log₂ (w + 1)⌉ comparisons and
//! a fixed number of steps; `wake`, `sleep`, `set_affinity`, `context_saved` a
//! fixed number of steps; `add_cpu`, `remove_cpu` n; `set_table` w; `insert` w
//! before there is a table, else a fixed number; `supply` w.

use super::kit::{Homes, Rules, State, at_home, default_is, laws};
use super::{Admission, Choice, Domain, Effects, Error, Vcpu, Violation, in_range};
use crate::Cpu;
use taktos_time::{Duration, Instant};

pub use super::kit::Unit;

/// The most windows in a table.
pub const WINDOWS: usize = 64;

/// The window of each unit of the control domain until a table is set.
pub const DEFAULT_WINDOW: Duration = Duration::from_millis(10);

/// A window of the table: `vcpu` may run for `runtime`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// The unit that may run in the window.
    pub vcpu: Vcpu,
    /// How long it is: at least 1 ns.
    pub runtime: Duration,
}

/// A window in the caller's memory.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    vcpu: Vcpu,
    /// Where it ends in the frame.
    end: Duration,
}

impl Slot {
    /// A slot that is not in use.
    pub const EMPTY: Self = Self {
        vcpu: Vcpu::new(0),
        end: Duration::ZERO,
    };
}

default_is!(Slot: EMPTY);

/// An instance of ARINC 653.
#[derive(Debug)]
pub struct Arinc653<'a> {
    homes: Homes<'a>,
    slots: &'a mut [Slot],
    /// How many windows there are.
    windows: usize,
    frame: Duration,
    /// When the first frame of this table began.
    start: Instant,
    /// Whether the table was given, and not made up for want of one.
    given: bool,
    control: Domain,
}

impl<'a> Arinc653<'a> {
    /// An instance without processors, units and table. `units` has a record for
    /// each unit there can be, by [`Vcpu::index`]; `slots` one for each window, at most
    /// [`WINDOWS`] of which are used. Units of `control` have a window of
    /// [`DEFAULT_WINDOW`] each until a table is set.
    pub fn new(units: &'a mut [Unit], slots: &'a mut [Slot], control: Domain) -> Self {
        let room = slots.len().min(WINDOWS);
        Self {
            homes: Homes::new(units),
            slots: &mut slots[..room],
            windows: 0,
            frame: Duration::ZERO,
            start: Instant::START,
            given: false,
            control,
        }
    }

    /// Sets the table: `windows` in order from the start of each `frame`; what is
    /// left of it at the end is idle. The first frame begins at once, at `now`.
    ///
    /// Refused with [`Error::TableFull`]; [`Error::OutOfRange`] for no window, an
    /// empty window, and windows longer than the frame; [`Error::NoRecord`].
    pub fn set_table(
        &mut self,
        windows: &[Window],
        frame: Duration,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        let total = self.check_table(windows)?;
        let least = total.as_nanos().max(1);
        in_range("the frame", frame.as_nanos(), least, u64::MAX, "ns")?;
        let mut end = Duration::ZERO;
        for (slot, window) in self.slots.iter_mut().zip(windows) {
            end = end.saturating_add(window.runtime);
            *slot = Slot {
                vcpu: window.vcpu,
                end,
            };
        }
        self.windows = windows.len();
        self.frame = frame;
        self.start = now;
        self.given = true;
        self.tickle_all(fx);
        Ok(())
    }

    /// The sum of the `windows`, which can be set.
    fn check_table(&self, windows: &[Window]) -> Result<Duration, Error> {
        if windows.len() > self.slots.len() {
            return Err(Error::TableFull {
                table: "the table of windows",
                capacity: self.slots.len(),
            });
        }
        let count = windows.len() as u64;
        in_range("the number of windows", count, 1, WINDOWS as u64, "")?;
        let mut total = 0u64;
        for window in windows {
            let runtime = window.runtime.as_nanos();
            in_range("the window", runtime, 1, u64::MAX, "ns")?;
            if window.vcpu.index() >= self.homes.units.len() {
                return Err(Error::NoRecord(window.vcpu));
            }
            total = total.saturating_add(runtime);
        }
        in_range(
            "the sum of the windows",
            total,
            1,
            Duration::MAX.as_nanos(),
            "ns",
        )?;
        Ok(Duration::from_nanos(total))
    }

    /// Returns the window at `now` and when it ends; the rest of the frame belongs to no unit.
    /// None before there is a table.
    pub fn window_at(&self, now: Instant) -> Option<(Option<Vcpu>, Instant)> {
        let (begin, position) = self.frame_at(now)?;
        let table = &self.slots[..self.windows];
        let index = table.partition_point(|slot| slot.end <= position);
        let (owner, end) = match table.get(index) {
            Some(slot) => (Some(slot.vcpu), slot.end),
            None => (None, self.frame),
        };
        Some((owner, begin.saturating_add(end)))
    }

    /// Returns when the frame of `now` began, and how far in it that is. None before there is a
    /// table.
    fn frame_at(&self, now: Instant) -> Option<(Instant, Duration)> {
        if self.windows == 0 {
            return None;
        }
        let elapsed = now.since(self.start).as_nanos();
        let position = elapsed % self.frame.as_nanos();
        let begin = Duration::from_nanos(elapsed - position);
        let begin = self.start.saturating_add(begin);
        Some((begin, Duration::from_nanos(position)))
    }

    /// The processor on which `vcpu` has its windows.
    pub fn processor_of(&self, vcpu: Vcpu) -> Option<Cpu> {
        self.homes.processor_of(vcpu)
    }

    fn tickle_all(&mut self, fx: &mut impl Effects) {
        for cpu in self.homes.requests.cpus {
            self.homes.requests.tickle(cpu, fx);
        }
    }

    /// Gives a unit of the control domain a window at the end, as long as there is
    /// no table and there is room.
    fn add_default(&mut self, vcpu: Vcpu, now: Instant, fx: &mut impl Effects) {
        let listed = self.slots[..self.windows]
            .iter()
            .any(|slot| slot.vcpu == vcpu);
        if listed || self.windows == self.slots.len() {
            return;
        }
        if self.windows == 0 {
            self.start = now;
        }
        self.frame = self.frame.saturating_add(DEFAULT_WINDOW);
        self.slots[self.windows] = Slot {
            vcpu,
            end: self.frame,
        };
        self.windows += 1;
        self.tickle_all(fx);
    }

    /// Whether `vcpu` can run on `cpu` now.
    fn is_ready(&self, vcpu: Vcpu, cpu: Cpu) -> bool {
        self.unit(vcpu).is_some_and(|unit| {
            let home = unit.home == Some(cpu);
            home && self.homes.is_ready(vcpu, cpu)
        })
    }
}

impl Rules for Arinc653<'_> {
    at_home!();

    fn join(&mut self, cpu: Cpu, _: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        self.homes.requests.join(cpu);
        self.homes.requests.tickle(cpu, fx);
        Ok(())
    }

    fn leave(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        let requests = &mut self.homes.requests;
        requests.cpus = requests.cpus.without(cpu);
        requests.tickle(cpu, fx);
    }

    /// Its home is a processor that `vcpu` may use: the one that it has, if it is one.
    fn settle(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let may = self.allowed(vcpu);
        let unit = &mut self.homes.units[vcpu.index()];
        if unit.home.is_some_and(|cpu| may.contains(cpu)) {
            return;
        }
        unit.home = may.lowest();
        for cpu in [unit.running, unit.home].into_iter().flatten() {
            self.homes.requests.tickle(cpu, fx);
        }
    }

    fn enter(&mut self, vcpu: Vcpu, admission: Admission, now: Instant, fx: &mut impl Effects) {
        let unit = &mut self.homes.units[vcpu.index()];
        *unit = Unit {
            state: State::entering(&admission),
            home: unit.home,
            ..Unit::EMPTY
        };
        self.settle(vcpu, now, fx);
        if !self.given && admission.domain == self.control {
            self.add_default(vcpu, now, fx);
        }
    }

    fn choose(&mut self, cpu: Cpu, now: Instant, work: bool, _: &mut impl Effects) -> Choice {
        let requests = &mut self.homes.requests;
        requests.tickled = requests.tickled.without(cpu);
        let window = self.window_at(now).filter(|_| self.parts().1.contains(cpu));
        let next = window
            .and_then(|(owner, _)| owner)
            .filter(|&vcpu| !work && self.is_ready(vcpu, cpu));
        self.homes.switch(cpu, next);
        let until = window.map(|(_, end)| end);
        Choice { next, until }
    }

    /// In its window, or at the next one's begin. Bound: a check of each window.
    fn supplied(&self, vcpu: Vcpu, at: Instant, _: Instant) -> Instant {
        let Some((frame, position)) = self.frame_at(at) else {
            return at;
        };
        let (mut begin, mut again) = (Duration::ZERO, None);
        for slot in &self.slots[..self.windows] {
            if slot.vcpu == vcpu && slot.end > position {
                return at.max(frame.saturating_add(begin));
            }
            if slot.vcpu == vcpu && again.is_none() {
                again = Some(self.frame.saturating_add(begin));
            }
            begin = slot.end;
        }
        again.map_or(at, |begin| frame.saturating_add(begin))
    }

    fn check(&self) -> Result<(), Violation> {
        let mut ends = self.slots[..self.windows].iter().map(|slot| slot.end);
        let ordered = ends.clone().is_sorted_by(|a, b| a < b);
        let fits = ends.next_back().is_none_or(|end| end <= self.frame);
        laws!(None, None;
            ordered => "windows follow one another",
            fits => "the windows fit the frame",
        );
        for (index, unit) in self.homes.units.iter().enumerate() {
            let vcpu = Vcpu::new(index as u16);
            let may = self.allowed(vcpu);
            let strays = unit.running.filter(|&cpu| unit.home != Some(cpu));
            laws!(Some(vcpu), unit.home;
                !unit.state.present || unit.home.is_some_and(|cpu| may.contains(cpu))
                    => "a unit is at home where it may run",
                strays.is_none_or(|cpu| self.homes.requests.tickled.contains(cpu))
                    => "who runs away from home has its processor tickled",
            );
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "arinc653_tests.rs"]
mod tests;
