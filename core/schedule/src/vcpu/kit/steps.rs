//! Owns: the count of steps by which tests hold operations to their bounds.
//! Must never know: anything outside tests, where it is nothing at all.

/// Counts links followed and comparisons made, in tests only.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steps {
    #[cfg(test)]
    count: u64,
}

impl Steps {
    /// None yet.
    pub(crate) const NONE: Self = Self {
        #[cfg(test)]
        count: 0,
    };

    /// One more.
    #[inline(always)]
    pub(crate) const fn one(&mut self) {
        #[cfg(test)]
        {
            self.count += 1;
        }
    }

    /// How many since the last call.
    #[cfg(test)]
    pub(crate) fn take(&mut self) -> u64 {
        core::mem::take(&mut self.count)
    }
}
