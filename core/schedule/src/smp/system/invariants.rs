//! Owns: the invariants that hold after every operation. For tests and the simulator.

use super::System;
use crate::{
    Cpu,
    smp::{Instance, Thread},
};

/// An invariant that is violated, and the thread that violates it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The invariant.
    pub law: &'static str,
    /// The thread that violates it.
    pub thread: Option<Thread>,
    /// Where.
    pub instance: Option<Instance>,
    /// On which processor.
    pub cpu: Option<Cpu>,
}

impl core::fmt::Display for Violation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.law)?;
        if let Some(thread) = self.thread {
            write!(f, "; thread {}", thread.index())?;
        }
        if let Some(instance) = self.instance {
            write!(f, "; instance {}", instance.index())?;
        }
        if let Some(cpu) = self.cpu {
            write!(f, "; processor {}", cpu.index())?;
        }
        Ok(())
    }
}

impl core::error::Error for Violation {}

impl System<'_> {
    /// Checks every invariant; as many steps as nodes, squared at worst.
    ///
    /// # Errors
    /// The first invariant that is found broken.
    pub(crate) fn check_invariants(&self) -> Result<(), Violation> {
        self.check_processors()?;
        self.check_locks()
    }

    /// Each processor is in the instance that its row names, and in no other.
    fn check_processors(&self) -> Result<(), Violation> {
        for cpu in self.online {
            let owner = self.processors[cpu.index()].owner;
            for (number, record) in self.instances.iter().enumerate() {
                if record.owned.contains(cpu) != (number == usize::from(owner)) {
                    return Err(Violation {
                        law: "a processor is in the instance that has it, and in no other",
                        thread: None,
                        instance: Instance::new(number),
                        cpu: Some(cpu),
                    });
                }
            }
        }
        Ok(())
    }
}
