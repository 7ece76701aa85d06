//! Owns: all threads that exist as a program sees them, and the table of their states.
//! Must never know: the code that made them.

use super::{AnyThread, State, fault};
use crate::System;
use crate::sched::hold;
use core::fmt;

/// The threads that exist, the one created last first, idle threads too. Each step is a section of
/// its own: a thread that is created meanwhile is not there, and one that is deleted while it is
/// the last that was given ends the walk.
pub struct Threads<S: System>(Option<&'static AnyThread<S>>);

/// All threads. Bound: fixed. Allowed everywhere.
pub fn all<S: System>() -> Threads<S> {
    let newest = S::kernel().threads.newest(hold::<S>().section());
    Threads(newest.map(AnyThread::of))
}

impl<S: System> Iterator for Threads<S> {
    type Item = &'static AnyThread<S>;

    fn next(&mut self) -> Option<Self::Item> {
        let given = self.0?;
        let held = hold::<S>();
        let cs = held.section();
        self.0 = S::kernel()
            .threads
            .older(cs, given.reference())
            .map(AnyThread::of);
        Some(given)
    }
}

/// Writes the table of all threads: name, state, priority (its own, then what it is now by
/// inheritance), and of the stack how many bytes were used at most since it was painted
/// ([`AnyThread::paint_stack`]) and its size. In a thread; bounded by the console.
pub fn report<S: System>() {
    fault::print::<S>(format_args!("{HEAD}\n"));
    for thread in all::<S>() {
        fault::print::<S>(format_args!("{}\n", Row::of(thread)));
    }
}

/// The heads of the table's columns.
pub const HEAD: &str = "thread           state        priority stack used         of";

/// A line of the table, for the thread that it was made of.
pub struct Row {
    name: &'static str,
    state: State,
    /// The level that the thread was given, and the one it has.
    levels: (u8, u8),
    used: Option<usize>,
    size: usize,
}

impl Row {
    /// Returns the line of a thread. Allowed in threads. Bound: the size of the stack, not masked.
    pub fn of<S: System>(thread: &'static AnyThread<S>) -> Self {
        let (own, present) = thread.priorities();
        Self {
            name: thread.name(),
            state: thread.state(),
            levels: (own.level(), present.level()),
            used: thread.stack_used(),
            size: thread.stack_size(),
        }
    }
}

impl fmt::Display for State {
    /// The state in lower case.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NonExistent => "non-existent",
            Self::Dormant => "dormant",
            Self::Ready => "ready",
            Self::Executing => "executing",
            Self::Blocked => "blocked",
        })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            state,
            levels: (own, present),
            used,
            size,
        } = self;
        write!(f, "{name:<16} {state:<12} ")?;
        match own == present {
            true => write!(f, "{own:>8} ")?,
            false => write!(f, "{own:>4}->{present:<2} ")?,
        }
        match used {
            Some(used) => write!(f, "{used:>10} ")?,
            None => write!(f, "{:>10} ", "?")?,
        }
        write!(f, "{size:>10}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn a_row_tells_what_is_inherited_and_what_is_not_known() {
        let mut row = Row {
            name: "pump",
            state: State::Blocked,
            levels: (7, 7),
            used: Some(312),
            size: 1024,
        };
        assert_eq!(
            row.to_string(),
            "pump             blocked             7        312       1024"
        );
        row.levels = (12, 3);
        row.used = None;
        assert_eq!(
            row.to_string(),
            "pump             blocked        12->3           ?       1024"
        );
    }
}
