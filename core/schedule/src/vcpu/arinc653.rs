//! ARINC 653: windows of a table, one after the other, over and over.
//!
//! Owns: the table, and which window an instant lies in.
//! Must never know: whether a unit has anything to do: a window whose unit sleeps,
//! or is not in the pool, is idle.
//!
//! The behaviour is that of spec 05, section 5. The pool has one table; a unit
//! runs only on the processor that it was given when it came, so a pool makes use
//! of several processors only one window at a time.
//!
//! Bounds, with w windows and n units: `schedule` ⌈log₂ (w + 1)⌉ comparisons and
//! a fixed number of steps; `wake`, `sleep`, `set_affinity`, `context_saved` a
//! fixed number of steps; `add_cpu`, `remove_cpu` n; `set_table` w; `insert` w
//! before there is a table, else a fixed number; `supply` w.

use super::{
    Admission, Choice, Domain, Effects, Error, PLAIN, Policy, Timer, Vcpu, Violation, allowed,
    clear, in_range,
};
use crate::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

/// The most windows in a table.
pub const WINDOWS: usize = 64;

/// The window of each unit of the control domain until a table is set.
pub const DEFAULT_WINDOW: Duration = Duration::from_millis(10);

/// A window of the table: `vcpu` may run for `runtime`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// Whose window it is.
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

impl Default for Slot {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// A unit's record in the caller's table.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    present: bool,
    awake: bool,
    saving: bool,
    hard: CpuSet,
    /// The one processor it may run on.
    home: Option<Cpu>,
    running: Option<Cpu>,
}

impl Unit {
    /// A record that is not in use.
    pub const EMPTY: Self = Self {
        present: false,
        awake: false,
        saving: false,
        hard: CpuSet::ALL,
        home: None,
        running: None,
    };
}

impl Default for Unit {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// An instance of ARINC 653.
#[derive(Debug)]
pub struct Arinc653<'a> {
    units: &'a mut [Unit],
    slots: &'a mut [Slot],
    /// How many windows there are.
    windows: usize,
    frame: Duration,
    /// When the first frame of this table began.
    start: Instant,
    /// Whether the table was given, and not made up for want of one.
    given: bool,
    control: Domain,
    cpus: CpuSet,
    tickled: CpuSet,
    current: [Option<Vcpu>; Cpu::COUNT],
}

impl<'a> Arinc653<'a> {
    /// An instance without processors, units and table. `units` has a record for
    /// each unit there can be, by [`Vcpu::index`]; `slots` one for each window, at most
    /// [`WINDOWS`] of which are used. Units of `control` have a window of
    /// [`DEFAULT_WINDOW`] each until a table is set.
    pub fn new(units: &'a mut [Unit], slots: &'a mut [Slot], control: Domain) -> Self {
        clear(units, Unit::EMPTY);
        let room = slots.len().min(WINDOWS);
        Self {
            units,
            slots: &mut slots[..room],
            windows: 0,
            frame: Duration::ZERO,
            start: Instant::START,
            given: false,
            control,
            cpus: CpuSet::EMPTY,
            tickled: CpuSet::EMPTY,
            current: [None; Cpu::COUNT],
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
            if window.vcpu.index() >= self.units.len() {
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

    /// The window at `now` and when it ends; the rest of the frame belongs to nobody.
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

    /// When the frame began that `now` lies in, and how far in it that is. None before there is a
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
        self.units.get(vcpu.index())?.home
    }

    fn unit_mut(&mut self, vcpu: Vcpu) -> Option<&mut Unit> {
        self.units.get_mut(vcpu.index()).filter(|unit| unit.present)
    }

    fn tickle(&mut self, cpu: Cpu, fx: &mut impl Effects) {
        if !self.tickled.contains(cpu) {
            self.tickled = self.tickled.with(cpu);
            fx.tickle(cpu);
        }
    }

    fn tickle_all(&mut self, fx: &mut impl Effects) {
        for cpu in self.cpus {
            self.tickle(cpu, fx);
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

    /// Makes `home` a processor that `vcpu` may use, keeping it if it is one.
    fn settle(&mut self, vcpu: Vcpu, fx: &mut impl Effects) {
        let cpus = self.cpus;
        let unit = &mut self.units[vcpu.index()];
        let may = allowed(unit.hard, cpus);
        if unit.home.is_some_and(|cpu| may.contains(cpu)) {
            return;
        }
        unit.home = may.lowest();
        let (from, to) = (unit.running, unit.home);
        for cpu in [from, to].into_iter().flatten() {
            self.tickle(cpu, fx);
        }
    }

    fn settle_all(&mut self, fx: &mut impl Effects) {
        for index in 0..self.units.len() {
            if self.units[index].present {
                self.settle(Vcpu::new(index as u16), fx);
            }
        }
    }

    /// Whether `vcpu` can run on `cpu` now.
    fn is_ready(&self, vcpu: Vcpu, cpu: Cpu) -> bool {
        self.units.get(vcpu.index()).is_some_and(|unit| {
            let here = unit.home == Some(cpu) && unit.running.is_none_or(|at| at == cpu);
            unit.present && unit.awake && !unit.saving && here
        })
    }
}

impl Policy for Arinc653<'_> {
    fn add_cpu(&mut self, cpu: Cpu, _: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        if self.cpus.contains(cpu) || self.current[cpu.index()].is_some() {
            return Err(Error::CpuPresent(cpu));
        }
        self.cpus = self.cpus.with(cpu);
        // What it was asked for before it left it may not have done.
        self.tickled = self.tickled.without(cpu);
        self.tickle(cpu, fx);
        if !PLAIN {
            self.settle_all(fx);
        }
        Ok(())
    }

    fn remove_cpu(&mut self, cpu: Cpu, _: Instant, fx: &mut impl Effects) -> Result<(), Error> {
        if !self.cpus.contains(cpu) {
            return Err(Error::CpuAbsent(cpu));
        }
        if self.cpus == CpuSet::of(cpu) && self.units.iter().any(|unit| unit.present) {
            return Err(Error::LastCpu(cpu));
        }
        self.cpus = self.cpus.without(cpu);
        self.tickle(cpu, fx);
        self.settle_all(fx);
        Ok(())
    }

    fn insert(
        &mut self,
        vcpu: Vcpu,
        admission: Admission,
        now: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        if self.cpus.is_empty() {
            return Err(Error::NoCpu);
        }
        let unit = self
            .units
            .get_mut(vcpu.index())
            .ok_or(Error::NoRecord(vcpu))?;
        if unit.present {
            return Err(Error::Present(vcpu));
        }
        *unit = Unit {
            present: true,
            hard: admission.hard,
            home: unit.home,
            ..Unit::EMPTY
        };
        self.settle(vcpu, fx);
        if !self.given && admission.domain == self.control {
            self.add_default(vcpu, now, fx);
        }
        Ok(())
    }

    /// Its windows stay in the table, and are idle.
    fn remove(&mut self, vcpu: Vcpu, _: Instant, _: &mut impl Effects) -> Result<(), Error> {
        let unit = self.unit_mut(vcpu).ok_or(Error::Absent(vcpu))?;
        if unit.awake || unit.saving || unit.running.is_some() {
            return Err(Error::Busy(vcpu));
        }
        unit.present = false;
        Ok(())
    }

    fn wake(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let Some(unit) = self.unit_mut(vcpu).filter(|unit| !unit.awake) else {
            return;
        };
        unit.awake = true;
        if let (Some(cpu), None) = (unit.home, unit.running) {
            self.tickle(cpu, fx);
        }
    }

    fn sleep(&mut self, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let Some(unit) = self.unit_mut(vcpu).filter(|unit| unit.awake) else {
            return;
        };
        unit.awake = false;
        if let Some(cpu) = unit.running {
            self.tickle(cpu, fx);
        }
    }

    /// A window belongs to its unit: there is nobody to yield to.
    fn yield_now(&mut self, _: Vcpu, _: Instant, _: &mut impl Effects) {}

    /// `soft` is of no effect. The unit moves only off a processor that it may not use.
    fn set_affinity(
        &mut self,
        vcpu: Vcpu,
        hard: CpuSet,
        _: CpuSet,
        _: Instant,
        fx: &mut impl Effects,
    ) -> Result<(), Error> {
        self.unit_mut(vcpu).ok_or(Error::Absent(vcpu))?.hard = hard;
        self.settle(vcpu, fx);
        Ok(())
    }

    fn schedule(&mut self, cpu: Cpu, now: Instant, work: bool, _: &mut impl Effects) -> Choice {
        self.tickled = self.tickled.without(cpu);
        let window = self.window_at(now).filter(|_| self.cpus.contains(cpu));
        let next = window
            .and_then(|(owner, _)| owner)
            .filter(|&vcpu| !work && self.is_ready(vcpu, cpu));
        let before = self.current[cpu.index()];
        if before != next {
            if let Some(vcpu) = before {
                self.units[vcpu.index()].running = None;
                self.units[vcpu.index()].saving = true;
            }
            if let Some(vcpu) = next {
                self.units[vcpu.index()].running = Some(cpu);
            }
            self.current[cpu.index()] = next;
        }
        let until = window.map(|(_, end)| end);
        Choice { next, until }
    }

    fn context_saved(&mut self, _: Cpu, vcpu: Vcpu, _: Instant, fx: &mut impl Effects) {
        let Some(unit) = self.unit_mut(vcpu).filter(|unit| unit.saving) else {
            return;
        };
        unit.saving = false;
        if let (Some(cpu), true) = (unit.home, unit.awake) {
            self.tickle(cpu, fx);
        }
    }

    fn timer(&mut self, _: Timer, _: Instant, _: &mut impl Effects) {}

    /// In its window, or at the next one's begin. Bound: a look at each window.
    fn supply(&self, vcpu: Vcpu, at: Instant, _: Instant) -> Instant {
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

    fn current(&self, cpu: Cpu) -> Option<Vcpu> {
        self.current[cpu.index()]
    }

    fn cpus(&self) -> CpuSet {
        self.cpus
    }

    fn check_invariants(&self) -> Result<(), Violation> {
        let mut ends = self.slots[..self.windows].iter().map(|slot| slot.end);
        let ordered = ends.clone().is_sorted_by(|a, b| a < b);
        Violation::unless(ordered, "windows follow one another", None, None)?;
        let fits = ends.next_back().is_none_or(|end| end <= self.frame);
        Violation::unless(fits, "the windows fit the frame", None, None)?;
        for (index, unit) in self.units.iter().enumerate() {
            let vcpu = Vcpu::new(index as u16);
            let law = |holds, law| Violation::unless(holds, law, Some(vcpu), unit.home);
            let at = self.current.iter().filter(|&&at| at == Some(vcpu)).count();
            law(
                at == usize::from(unit.running.is_some()),
                "a unit runs on one processor, and that one knows it",
            )?;
            let may = allowed(unit.hard, self.cpus);
            law(
                !unit.present || unit.home.is_some_and(|cpu| may.contains(cpu)),
                "a unit is at home where it may run",
            )?;
            let strays = unit.running.filter(|&cpu| unit.home != Some(cpu));
            law(
                strays.is_none_or(|cpu| self.tickled.contains(cpu)),
                "who runs away from home has its processor tickled",
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "arinc653_tests.rs"]
mod tests;
