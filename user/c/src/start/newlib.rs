//! Owns: what newlib asks of a system, where the program has nothing of its own: memory, the console, an end. There are no files.
//! Must never know: what the program does with it.

use core::arch::global_asm;
use core::ffi::c_int;

#[unsafe(no_mangle)]
extern "C" fn taktos_no_file() -> c_int {
    -1
}

#[unsafe(no_mangle)]
extern "C" fn taktos_is_console() -> c_int {
    1
}

/// What the compiler's start-up files would have for constructors of old.
#[unsafe(no_mangle)]
extern "C" fn taktos_nothing() {}

/// Names that newlib has for functions here; a program's own come first.
macro_rules! names {
    ($($name:literal = $function:literal,)*) => {
        global_asm!($(concat!(".weak ", $name), concat!(".set ", $name, ", ", $function),)*);
    };
}

names! {
    "_sbrk" = "taktos_sbrk",
    "_write" = "taktos_write_file",
    "_exit" = "taktos_exit",
    "_read" = "taktos_no_file",
    "_close" = "taktos_no_file",
    "_lseek" = "taktos_no_file",
    "_fstat" = "taktos_no_file",
    "_kill" = "taktos_no_file",
    "_isatty" = "taktos_is_console",
    "_getpid" = "taktos_is_console",
    "_gettimeofday" = "taktos_posix_time_of_day",
    "_init" = "taktos_nothing",
    "_fini" = "taktos_nothing",
}
