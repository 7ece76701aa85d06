//! Owns: a word of the control block that a system of several processors needs, and where it takes
//! no place. Must never know: what is kept in it.
//!
//! A processor of 32 bits is the only one of its system: there the word is what it is for each
//! thread of such a system, for ever.

use crate::critical_section::CriticalSection;

#[cfg(target_pointer_width = "64")]
type Kept<T> = crate::critical_section::Guarded<T>;
#[cfg(target_pointer_width = "32")]
type Kept<T> = core::marker::PhantomData<fn() -> T>;

/// Such a word; it has its default where it takes no place.
pub(super) struct SmpOnly<T>(Kept<T>);

#[cfg(target_pointer_width = "64")]
impl<T: Copy> SmpOnly<T> {
    /// A word that has a value.
    pub(super) const fn new(value: T) -> Self {
        Self(Kept::new(value))
    }

    /// Returns the value that was set last.
    #[inline(always)]
    pub(super) fn get(&self, cs: CriticalSection<'_>) -> T {
        self.0.get(cs)
    }

    /// Sets it.
    #[inline(always)]
    pub(super) fn set(&self, cs: CriticalSection<'_>, value: T) {
        self.0.set(cs, value);
    }
}

#[cfg(target_pointer_width = "32")]
impl<T: Copy + Default> SmpOnly<T> {
    /// A word that has its default.
    pub(super) const fn new(_: T) -> Self {
        Self(core::marker::PhantomData)
    }

    /// The default.
    #[inline(always)]
    pub(super) fn get(&self, _: CriticalSection<'_>) -> T {
        T::default()
    }

    /// Nothing: there is no other value.
    #[inline(always)]
    pub(super) fn set(&self, _: CriticalSection<'_>, _: T) {}
}
