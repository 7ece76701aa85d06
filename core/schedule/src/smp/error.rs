//! Owns: what a refused operation says.

use core::fmt;

/// Why an operation was refused. Nothing has changed then.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Error {
    /// No instance has this name, or there is no such processor to look one up by.
    InvalidName,
    /// There is no such thread, instance or lock, or it is an idle thread.
    InvalidId,
    /// A processor that is not the instance's, or a set of processors that the policy does not
    /// accept.
    InvalidNumber,
    /// A priority above the instance's maximum, or one that violates a ceiling.
    InvalidPriority,
    /// The processor was given to no instance when the system was made.
    NotConfigured,
    /// The operation does not fit the present state, or would close a circle of waiting.
    IncorrectState,
    /// The object is still in use.
    ResourceInUse,
    /// It cannot be had now: the lock is owned, or the target has no processor for the thread.
    Unsatisfied,
    /// A table of the caller's is full, or too short.
    TooMany,
    /// The caller does not own the lock or period.
    NotOwner,
    /// The operation is not defined for this policy, protocol or state.
    NotDefined,
    /// The time was over first.
    Timeout,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidName => "no instance goes by this name or processor: name a configured one",
            Self::InvalidId => "no such thread, instance or lock: use an id that the system handed out",
            Self::InvalidNumber => {
                "the policy does not accept these processors: name one that the instance owns, or all"
            }
            Self::InvalidPriority => {
                "the priority is out of range or above a ceiling: lower it, or raise the ceiling"
            }
            Self::NotConfigured => {
                "the processor was given to no instance at the start: name it in the configuration"
            }
            Self::IncorrectState => "the operation does not fit the present state",
            Self::ResourceInUse => "still in use: let its users end first",
            Self::Unsatisfied => "not to be had now: wait, or choose another",
            Self::TooMany => "a table is too short: give the system more memory",
            Self::NotOwner => "only the owner may do this",
            Self::NotDefined => "not defined for this policy, protocol or state",
            Self::Timeout => "the time was over first",
        })
    }
}

impl core::error::Error for Error {}
