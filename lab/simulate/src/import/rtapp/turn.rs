//! Owns: one turn of a thread's loop: its phases and events, and the job that they come to.
//! Must never know: how the thread is scheduled.

use taktos_time::Duration;

use super::super::json::Json;
use super::super::name_of;
use super::{LINUX_ALONE, Reader, THREAD_KEYS};
use crate::file::FileError;
use crate::{Execution, LockId, LockSpec, Step};

/// The most steps that a turn comes to, all its phases written out.
const MOST_STEPS: usize = 10_000;

/// Events of rt-app that the simulator's tasks do not support, and why.
const UNSUPPORTED: [(&str, &str); 15] = [
    ("barrier", NO_WAITING),
    ("broad", NO_WAITING),
    ("fork", "all tasks are there from the beginning"),
    ("iorun", NO_COST),
    ("mem", NO_COST),
    ("memrun", NO_COST),
    ("resume", NO_WAITING),
    ("sem_post", NO_WAITING),
    ("sem_wait", NO_WAITING),
    ("signal", NO_WAITING),
    ("suspend", NO_WAITING),
    ("sync", NO_WAITING),
    ("wait", NO_WAITING),
    ("yield", "who runs is the policy's decision alone"),
    ("exec", "it is a word of old versions"),
];
const NO_WAITING: &str = "tasks wait for time and for mutexes, not for each other";
const NO_COST: &str = "what it takes depends on the machine's memory and devices";

/// The one timer of a loop.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Timer {
    /// Its `ref`.
    pub name: String,
    /// Whether a late turn moves all that come after it.
    pub relative: bool,
}

impl Timer {
    /// Whether other threads can have it too.
    pub(super) fn is_shared(&self) -> bool {
        !self.name.starts_with("unique")
    }
}

/// Effect of the events of one turn.
#[derive(Clone, Default)]
pub(super) struct Turn {
    steps: Vec<Step>,
    /// When the last timer ends, from the first one's reference on.
    elapsed: Option<Duration>,
    /// Which timer that is.
    pub(super) timer: Option<Timer>,
    /// The mutexes that are held, the last one taken last.
    pub(super) held: Vec<String>,
}

impl Turn {
    /// Whether something follows the last timer.
    pub(super) fn timer_stands_inside(&self) -> bool {
        self.elapsed.is_some() && !matches!(self.steps.last(), Some(Step::Until(_)))
    }

    /// Returns the steps of a job, and the time from one job to the next. If another job follows,
    /// the last timer is its arrival. So the steps after this timer in the loop are the first steps
    /// of a job.
    pub(super) fn job(mut self, goes_on: bool) -> (Vec<Step>, Option<Duration>) {
        let is_timer = |step: &Step| matches!(step, Step::Until(_));
        if let (true, Some(last)) = (goes_on, self.steps.iter().rposition(is_timer)) {
            let mut job = self.steps.split_off(last + 1);
            self.steps.pop();
            job.append(&mut self.steps);
            self.steps = job;
        }
        (self.steps, self.elapsed)
    }
}

impl Reader<'_> {
    /// Reads the phases one after the other, each repeated as its `loop` says, as one turn.
    pub(super) fn phases(&mut self, name: &str, json: &Json) -> Result<Turn, FileError> {
        let path = ["tasks", name, "phases"];
        let phases = self.sequence(&path, json)?;
        let mut turn = Turn::default();
        for (phase, events) in phases {
            let path = ["tasks", name, "phases", phase.as_str()];
            let events = self.settings_and_events(&path, events)?;
            for _ in 0..self.turns(&path, events, phases.len() == 1)? {
                self.events(&path, events, &mut turn)?;
                if turn.steps.len() > MOST_STEPS {
                    let cause =
                        format!("comes to more than {MOST_STEPS} steps with the phases before it");
                    return Err(self.error(&path, &cause, "loop less often"));
                }
            }
        }
        Ok(turn)
    }

    /// How often the phase runs in one turn of the loop; what else a phase may set is refused.
    fn turns(
        &mut self,
        path: &[&str],
        events: &[(String, Json)],
        is_alone: bool,
    ) -> Result<u64, FileError> {
        let mut turns = 1;
        for (key, value) in events {
            let path = [path, &[key]].concat();
            match (key.as_str(), value) {
                // A phase for ever, with no phase after it, is the loop itself.
                ("loop", Json::Number(_)) if is_alone => {}
                ("loop", Json::Number(_)) => {
                    let cause = "is for ever, beside other phases";
                    return Err(self.error(&path, cause, "make each phase a task of its own"));
                }
                ("loop", value) => turns = self.whole(&path, value)?,
                (known, _) if LINUX_ALONE.contains(&known) => {
                    self.warn(format!("{}: it is left out", path.join(": ")));
                }
                (known, _) if THREAD_KEYS.contains(&known) => {
                    return Err(self.error(
                        &path,
                        "of a phase is not supported",
                        "make each phase a task of its own, with an offset (delay)",
                    ));
                }
                _ => {}
            }
        }
        Ok(turns)
    }

    /// The turn of a loop without phases.
    pub(super) fn turn(
        &mut self,
        path: &[&str],
        pairs: &[(String, Json)],
    ) -> Result<Turn, FileError> {
        let mut turn = Turn::default();
        self.events(path, pairs, &mut turn)?;
        Ok(turn)
    }

    /// The events among the keys, in their order.
    fn events(
        &mut self,
        path: &[&str],
        pairs: &[(String, Json)],
        work: &mut Turn,
    ) -> Result<(), FileError> {
        for (key, value) in pairs {
            if THREAD_KEYS.contains(&key.as_str()) {
                continue;
            }
            let path = [path, &[key.as_str()]].concat();
            // An event's name may end with a number: run0, run1.
            let event = key.trim_end_matches(|letter: char| letter.is_ascii_digit());
            self.event(&path, event, value, work)?;
        }
        Ok(())
    }

    fn event(
        &mut self,
        path: &[&str],
        event: &str,
        value: &Json,
        work: &mut Turn,
    ) -> Result<(), FileError> {
        match event {
            "run" | "runtime" => {
                work.steps
                    .push(Step::Run(Execution::Fixed(self.micros(path, value)?)));
            }
            "sleep" => {
                work.steps
                    .push(Step::Suspend(Execution::Fixed(self.micros(path, value)?)));
            }
            "lock" => {
                let (name, lock) = self.mutex(path, value)?;
                if work.held.contains(&name) {
                    return Err(self.error(path, "is held already", "unlock it first"));
                }
                work.held.push(name);
                work.steps.push(Step::Lock(lock));
            }
            "unlock" => {
                let (name, lock) = self.mutex(path, value)?;
                if work.held.pop() != Some(name) {
                    return Err(self.error(
                        path,
                        "is not the lock that was taken last",
                        "unlock in the opposite order",
                    ));
                }
                work.steps.push(Step::Unlock(lock));
            }
            "timer" => {
                if let Some(lock) = work.held.last() {
                    let cause = format!("waits with the lock {lock} held");
                    return Err(self.error(path, &cause, "unlock it before the timer"));
                }
                let before = work.elapsed.unwrap_or(Duration::ZERO);
                let (timer, period) = self.timer(path, value)?;
                let former = work.timer.get_or_insert_with(|| timer.clone());
                if *former != timer {
                    return Err(self.error(
                        path,
                        "is another timer, or has another mode, than the one before it in the loop",
                        "give all timers of a loop the same ref and mode",
                    ));
                }
                let elapsed = before.saturating_add(period);
                work.elapsed = Some(elapsed);
                work.steps.push(Step::Until(elapsed));
            }
            _ => return Err(self.unsupported(path, event)),
        }
        Ok(())
    }

    fn unsupported(&self, path: &[&str], event: &str) -> FileError {
        let reason = UNSUPPORTED.iter().find(|(name, _)| *name == event);
        let reason = reason.map_or(String::new(), |(_, why)| format!(": {why}"));
        self.error(
            path,
            &format!("is an event that is not supported{reason}"),
            "leave it, or write the task set in TOML; known are run, runtime, sleep, timer, lock, unlock",
        )
    }

    /// A timer and its period. Where nothing is said, as in rt-app: `relative`, and a timer
    /// that all threads share.
    fn timer(&mut self, path: &[&str], value: &Json) -> Result<(Timer, Duration), FileError> {
        let mut period = None;
        let mut timer = Timer {
            name: "unknown".to_owned(),
            relative: true,
        };
        for (key, value) in self.object(path, value)? {
            match (key.as_str(), value) {
                ("period", value) => {
                    period = Some(self.micros(&[path, &["period"]].concat(), value)?)
                }
                ("ref", Json::Text(name)) => timer.name.clone_from(name),
                ("mode", Json::Text(mode)) if mode == "relative" => timer.relative = true,
                ("mode", Json::Text(mode)) if mode == "absolute" => timer.relative = false,
                ("ref" | "mode", _) => {
                    return Err(self.error(
                        &[path, &[key.as_str()]].concat(),
                        "is none that rt-app knows",
                        "give a ref as a text, and as mode \"relative\" or \"absolute\"",
                    ));
                }
                _ => self.warn(format!("{}: `{key}` is left out", path.join(": "))),
            }
        }
        let period = period.filter(|period| *period > Duration::ZERO);
        let period = period.ok_or_else(|| {
            self.error(
                path,
                "has no period",
                "add \"period\": 10000, in microseconds",
            )
        })?;
        Ok((timer, period))
    }

    /// The lock of that name; a new one where there was none.
    fn mutex(&mut self, path: &[&str], value: &Json) -> Result<(String, LockId), FileError> {
        let Json::Text(name) = value else {
            return Err(self.error(
                path,
                &format!("is {}, no text", value.kind()),
                "name a mutex",
            ));
        };
        let name = name_of(name);
        let locks = &mut self.set.workload.locks;
        let place = locks.iter().position(|lock| lock.name == name);
        let place = place.unwrap_or_else(|| {
            locks.push(LockSpec {
                name: name.clone(),
                protocol: self.protocol,
                ceilings: Vec::new(),
            });
            locks.len() - 1
        });
        if name.is_empty() || place >= usize::from(u16::MAX) {
            return Err(self.error(path, "names no mutex", "name a mutex"));
        }
        Ok((name, LockId(place as u16)))
    }
}

/// How long a step takes when nothing disturbs it.
pub(super) fn length(step: &Step) -> Duration {
    match step {
        Step::Run(execution) | Step::Suspend(execution) => execution.longest(),
        Step::Lock(_) | Step::Unlock(_) | Step::Until(_) => Duration::ZERO,
        Step::Call { service, .. } => service.longest(),
    }
}
