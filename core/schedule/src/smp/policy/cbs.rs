//! Owns: constant-bandwidth servers: budgets, and the deadlines that follow from them.

use crate::{
    Cpu,
    smp::{Effects, Error, System, Thread},
};
use taktos_time::{Duration, Instant};

/// A row of the table of servers: the one of a thread.
#[derive(Clone, Debug, Default)]
pub struct ServerRecord {}

impl System<'_> {
    /// Gives `thread` a server.
    ///
    /// # Errors
    /// [`Error::NotDefined`]: the thread's home instance has no servers.
    pub fn set_server(
        &mut self,
        thread: Thread,
        _budget: Duration,
        _period: Duration,
    ) -> Result<(), Error> {
        self.known(thread)?;
        Err(Error::NotDefined)
    }

    /// The time asked for by [`Effects::arm`] has come on `cpu`.
    ///
    /// # Errors
    /// [`Error::InvalidNumber`]: the processor is not online.
    pub fn expire(
        &mut self,
        cpu: Cpu,
        _now: Instant,
        _effects: &mut impl Effects,
    ) -> Result<(), Error> {
        if self.online.contains(cpu) {
            Ok(())
        } else {
            Err(Error::InvalidNumber)
        }
    }
}
