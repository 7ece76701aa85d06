//! A target that is checked by the invariants after every command.
//!
//! Owns: the commands to it so far, and its last visible state.
//! Must never know: where the commands come from.

use taktos_schedule::smp::PolicyKind;

use super::command::Command;
use super::laws::Laws;
use super::names::Names;
use super::picture::Picture;
use super::script::Setup;
use super::status::Status;
use super::target::{Refusal, Target};

/// Result of a command that violated no invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It was carried out.
    Done,
    /// It was refused, and changed nothing.
    Refused(Status),
    /// No thread can ask for it now, for this reason.
    Impossible(String),
}

/// An invariant that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The invariant, in words.
    pub law: String,
    /// State that was found instead.
    pub found: String,
}

/// A target under the invariants.
pub struct Trial<'a> {
    target: &'a mut dyn Target,
    setup: &'a Setup,
    names: &'a Names,
    laws: Laws,
    last: Picture,
}

impl<'a> Trial<'a> {
    /// A trial of a target to which nothing has been done yet.
    pub fn new(
        target: &'a mut dyn Target,
        setup: &'a Setup,
        names: &'a Names,
        policy: PolicyKind,
    ) -> Self {
        let last = Picture::of(target, setup.online, names);
        Self {
            target,
            setup,
            names,
            laws: Laws::new(setup, names, policy),
            last,
        }
    }

    /// Returns the target, for queries.
    pub fn target(&self) -> &dyn Target {
        self.target
    }

    /// Returns the visible state of the target now.
    pub fn picture(&self) -> &Picture {
        &self.last
    }

    /// Performs the command on the target, and judges its effects.
    ///
    /// # Errors
    /// The invariant that does not hold any more.
    pub fn perform(&mut self, command: &Command) -> Result<Answer, Broken> {
        let now = self.target.now();
        let answer = match self.target.perform(command) {
            Ok(()) => {
                self.laws.note(command, now);
                Answer::Done
            }
            Err(Refusal::Status(status)) => Answer::Refused(status),
            Err(Refusal::Impossible(why)) => Answer::Impossible(why),
            Err(Refusal::Broken(found)) => {
                self.look();
                return Err(broken("the processors come to rest", found));
            }
        };
        let before = self.look();
        if answer != Answer::Done && self.last != before {
            let found = format!("before, it was {}", before.drawn(self.names));
            return Err(broken("what is refused changes nothing", found));
        }
        let own = self.target.check(self.names);
        own.map_err(|found| broken("the target's own laws hold", found))?;
        if answer == Answer::Done {
            let grants = self.laws.follow(command, self.target, self.names);
            grants.map_err(|found| broken("every law holds", found))?;
        }
        let laws = self.laws.check(self.target, self.setup, self.names);
        laws.map_err(|found| broken("every law holds", found))?;
        Ok(answer)
    }

    /// Reads the target's state. Returns the state read before.
    fn look(&mut self) -> Picture {
        let now = Picture::of(self.target, self.setup.online, self.names);
        std::mem::replace(&mut self.last, now)
    }
}

fn broken(law: &str, found: String) -> Broken {
    Broken {
        law: law.to_owned(),
        found,
    }
}
