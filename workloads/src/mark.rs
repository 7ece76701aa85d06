//! Owns: labels at the ends of measured intervals. Must never know: the measuring instrument.
//!
//! A mark is a symbol of the image and no instruction: the laboratory watches its address. It is in
//! a function that is not inlined. With the feature `counted`, for boards without a laboratory, the
//! counter of cycles is read in addition: within the interval that the symbols name there is
//! nothing but what there is without.

/// The beginning of the interval `$name`.
macro_rules! begin {
    ($name:literal) => {
        #[cfg(feature = "counted")]
        $crate::counted::begin(const { $crate::counted::number($name) });
        $crate::mark::label!(concat!("taktos.mark.", $name, ".begin"))
    };
}

/// The end of the interval `$name`.
macro_rules! end {
    ($name:literal) => {
        $crate::mark::label!(concat!("taktos.mark.", $name, ".end"));
        #[cfg(feature = "counted")]
        $crate::counted::end(const { $crate::counted::number($name) });
    };
}

/// A point that the laboratory is to notice.
macro_rules! point {
    ($name:literal) => {
        $crate::mark::label!(concat!("taktos.point.", $name))
    };
}

pub(crate) use taktos_machine::label;
pub(crate) use {begin, end, point};
