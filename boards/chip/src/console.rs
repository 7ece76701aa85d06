//! Owns: which console there is, as the features choose it. Must never know: the text.

#[cfg(feature = "own-console")]
mod own;
#[cfg(not(any(feature = "semihosting", feature = "own-console")))]
mod rtt;

#[cfg(feature = "own-console")]
pub(crate) use own::write;
#[cfg(all(
    feature = "console-input",
    not(any(feature = "semihosting", feature = "own-console"))
))]
pub use rtt::input::read_console;
#[cfg(not(any(feature = "semihosting", feature = "own-console")))]
pub(crate) use rtt::{start, write};
#[cfg(all(feature = "semihosting", not(feature = "own-console")))]
pub(crate) use taktos_boards::console::semihosting::write;

/// There is nothing to start: the program starts its device itself, and a debugger is there.
#[cfg(any(feature = "semihosting", feature = "own-console"))]
pub(crate) const fn start() {}
