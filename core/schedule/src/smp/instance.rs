//! Owns: what is known of an instance. Must never know: how its threads get its processors.

use super::PolicyKind;
use crate::CpuSet;

/// A row of the table of instances.
#[derive(Clone, Debug)]
pub struct InstanceRecord {
    pub(crate) name: [u8; 4],
    pub(crate) kind: PolicyKind,
    /// How many threads that are at home here own a lock that counts, or wait for one; and how
    /// many are pinned here from another instance.
    pub(crate) involved: u32,
    /// How many [seated](super::LockRecord::seated) locks threads own that are at home here.
    pub(crate) seated: u32,
    /// Its processors.
    pub(crate) owned: CpuSet,
}

impl InstanceRecord {
    /// An instance without processors.
    pub const EMPTY: Self = Self {
        name: [0; 4],
        kind: PolicyKind::Simple,
        involved: 0,
        seated: 0,
        owned: CpuSet::EMPTY,
    };
}

impl Default for InstanceRecord {
    fn default() -> Self {
        Self::EMPTY
    }
}
