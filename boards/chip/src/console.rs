//! Owns: the console, as the features choose it.
//! Must never know: the text.

#[cfg(feature = "own-console")]
mod own;
#[cfg(not(any(feature = "semihosting", feature = "own-console")))]
mod rtt;
#[cfg(all(feature = "semihosting", not(feature = "own-console")))]
mod semihosting;

#[cfg(feature = "own-console")]
pub(crate) use own::{start, write};
#[cfg(not(any(feature = "semihosting", feature = "own-console")))]
pub(crate) use rtt::{start, write};
#[cfg(all(feature = "semihosting", not(feature = "own-console")))]
pub(crate) use semihosting::{start, write};
