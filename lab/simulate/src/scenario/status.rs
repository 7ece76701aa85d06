//! Why a command was refused, in the words of the scripts.
//!
//! Owns: the words.
//! Must never know: which command earns which.

use std::fmt;

/// Why a target refused a command.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Status {
    /// There is no instance of this name, or none for this processor.
    InvalidName,
    /// There is no such thread, instance or lock.
    InvalidId,
    /// A number, a processor or a set is out of range or not allowed here.
    InvalidNumber,
    /// A priority is out of range, or violates a ceiling.
    InvalidPriority,
    /// The processor was never configured.
    NotConfigured,
    /// The object is in a state in which this cannot be done.
    IncorrectState,
    /// The thread, lock or processor is still in use.
    ResourceInUse,
    /// The request cannot be satisfied now, or is not supported there.
    Unsatisfied,
    /// There is no room for one more.
    TooMany,
    /// The lock belongs to another thread.
    NotOwner,
    /// The request makes no sense for this object.
    NotDefined,
    /// Time ran out.
    Timeout,
    /// The target cannot do this at all.
    Unsupported,
}

/// Each status with its word.
pub(super) const WORDS: [(&str, Status); 13] = [
    ("invalid-name", Status::InvalidName),
    ("invalid-id", Status::InvalidId),
    ("invalid-number", Status::InvalidNumber),
    ("invalid-priority", Status::InvalidPriority),
    ("not-configured", Status::NotConfigured),
    ("incorrect-state", Status::IncorrectState),
    ("resource-in-use", Status::ResourceInUse),
    ("unsatisfied", Status::Unsatisfied),
    ("too-many", Status::TooMany),
    ("not-owner", Status::NotOwner),
    ("not-defined", Status::NotDefined),
    ("timeout", Status::Timeout),
    ("unsupported", Status::Unsupported),
];

impl Status {
    /// The status that the word means.
    pub fn named(word: &str) -> Option<Self> {
        let found = WORDS.iter().find(|(name, _)| *name == word);
        found.map(|(_, status)| *status)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = WORDS.iter().find(|(_, status)| status == self);
        f.write_str(found.map_or("?", |(name, _)| name))
    }
}
