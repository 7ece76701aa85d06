//! Owns: labels at the ends of measured intervals. Must never know: who measures.
//!
//! A mark is a symbol of the image and no instruction: the laboratory watches its address. It stands
//! in a function that is not inlined.

/// The beginning of the interval `$name`.
macro_rules! begin {
    ($name:literal) => {
        $crate::mark::label!(concat!("taktos.mark.", $name, ".begin"))
    };
}

/// The end of the interval `$name`.
macro_rules! end {
    ($name:literal) => {
        $crate::mark::label!(concat!("taktos.mark.", $name, ".end"))
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
