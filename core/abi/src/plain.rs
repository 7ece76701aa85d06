//! Owns: the values that can be carried between memories of owners that do not trust each other.
//! Must never know: the code that carries them.

mod sealed {
    /// Only what this module says is plain.
    pub trait Sealed {}
}

/// A value that any bytes are, and that has no others than its own: an integer, or an array of such
/// ones.
pub trait Plain: Copy + Send + Sync + sealed::Sealed + 'static {
    /// The value with all bits zero.
    const ZERO: Self;
}

macro_rules! plain {
    ($($integer:ty)*) => {
        $(
            impl sealed::Sealed for $integer {}

            impl Plain for $integer {
                const ZERO: Self = 0;
            }
        )*
    };
}

plain!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

impl<T: Plain, const N: usize> sealed::Sealed for [T; N] {}

impl<T: Plain, const N: usize> Plain for [T; N] {
    const ZERO: Self = [T::ZERO; N];
}
