//! Owns: the part of a unit's record that every scheduler needs, and the traits of records.
//! Must never know: the rest of a record.

use super::Affinity;
use crate::vcpu::Admission;

/// The part of a unit's record that all schedulers have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// Where it may run, and where it had better run.
    pub(crate) affinity: Affinity,
    /// It is in the pool.
    pub(crate) present: bool,
    /// It is runnable: neither blocked nor paused by the world.
    pub(crate) awake: bool,
    /// It was taken off a processor, and its registers are not saved yet.
    pub(crate) saving: bool,
}

impl State {
    /// Outside the pool.
    pub(crate) const OUT: Self = Self {
        affinity: Affinity::ANYWHERE,
        present: false,
        awake: false,
        saving: false,
    };

    /// Returns the state of a unit that comes in, asleep.
    pub(crate) const fn entering(admission: &Admission) -> Self {
        Self {
            affinity: Affinity {
                hard: admission.hard,
                soft: admission.soft,
            },
            present: true,
            ..Self::OUT
        }
    }
}

/// A unit's record in the caller's table.
pub(crate) trait Record {
    /// The part that all schedulers have.
    fn state(&self) -> &State;
    /// The part that all schedulers have, to be changed.
    fn state_mut(&mut self) -> &mut State;
}

/// Makes a constant of each type its default.
macro_rules! default_is {
    ($($type:ty),+: $constant:ident) => {$(
        impl Default for $type {
            fn default() -> Self {
                Self::$constant
            }
        }
    )+};
}

/// Makes a type with a field `state` the record of a unit.
macro_rules! record {
    ($unit:ty) => {
        $crate::vcpu::kit::default_is!($unit: EMPTY);

        impl $crate::vcpu::kit::Record for $unit {
            #[inline(always)]
            fn state(&self) -> &$crate::vcpu::kit::State {
                &self.state
            }
            #[inline(always)]
            fn state_mut(&mut self) -> &mut $crate::vcpu::kit::State {
                &mut self.state
            }
        }
    };
}

/// Lets a record be in chains or lists of each kind: its field `links` has a link for each.
macro_rules! linked {
    ($record:ty, $name:ty) => {
        impl<const KIND: usize> $crate::vcpu::kit::chain::Linked<KIND> for $record {
            type Name = $name;
            #[inline(always)]
            fn link(&self) -> &$crate::vcpu::kit::chain::Link<$name> {
                &self.links[KIND]
            }
            #[inline(always)]
            fn link_mut(&mut self) -> &mut $crate::vcpu::kit::chain::Link<$name> {
                &mut self.links[KIND]
            }
        }
    };
}

pub(crate) use {default_is, linked, record};
