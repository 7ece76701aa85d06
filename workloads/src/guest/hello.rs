//! Owns: the smallest guest: prints its words, sleeps a little, and ends.

use super::GuestBoard;
use taktos_kernel::fault::print;
use taktos_kernel::{AnyThread, Kernel, Span};

/// The priority of the thread that calls [`run`].
pub const MAIN: u8 = 10;

/// Prints the guest's words, and ends the program: with success if time passes as it should.
pub fn run<S: GuestBoard>() -> ! {
    print::<S>(format_args!("hello, I was told: {}\n", S::words()));
    let before = Kernel::<S>::now();
    let slept = AnyThread::<S>::sleep(5.millis());
    let long = Kernel::<S>::now().since(before);
    let enough = slept.is_ok() && long >= 5.millis();
    S::write(if enough { "slept\n" } else { "did not sleep\n" });
    S::exit(i32::from(!enough))
}
