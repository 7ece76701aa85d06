//! Owns: the way from the start-up code to a C program's `main`, where that code calls a Rust
//! function. Must never know: what the program does.

use taktos::System;
use taktos::board::Board;

unsafe extern "C" {
    fn main() -> i32;
}

fn run() -> ! {
    // SAFETY: the program's, called once, on the stack that the start-up code has set.
    Board::exit(unsafe { main() })
}

#[cfg(not(target_arch = "riscv64"))]
taktos::board::entry!(run());

/// Entry that the start-up code of these processors calls in place of `main`, which the board's
/// macro would be.
#[cfg(target_arch = "riscv64")]
#[unsafe(no_mangle)]
extern "C" fn hal_main() -> ! {
    run()
}
