//! Owns: how a fault is reported and how the program ends by it.

use crate::section::in_upcall;
use crate::{Kernel, System};
use core::fmt::{self, Write};
use core::panic::PanicInfo;
use taktos_machine::{Cause, Fault, Machine, NAME_LENGTH};

/// The status with which a program ends after a fault.
pub const EXIT_STATUS: i32 = 70;

struct Console<S>(core::marker::PhantomData<S>);

impl<S: System> fmt::Write for Console<S> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        S::write(text);
        Ok(())
    }
}

/// Writes formatted text to the system's console. Bounded by the device; allowed everywhere.
pub fn print<S: System>(text: fmt::Arguments<'_>) {
    // A console that cannot be written to has nowhere to say so.
    let _ = Console::<S>(core::marker::PhantomData).write_fmt(text);
}

/// Writes the thread and the place where the program gave up, and ends it with [`EXIT_STATUS`]. For a board's
/// panic handler; allowed everywhere.
pub fn panicked<S: System>(panic: &PanicInfo<'_>) -> ! {
    announce::<S>(Cause::Panic, S::Machine::in_interrupt());
    if let Some(place) = panic.location() {
        S::write(" at ");
        S::write(place.file());
        S::write(":");
        write_decimal::<S>(place.line());
    }
    S::write("\n");
    S::exit(EXIT_STATUS)
}

/// Writes the cause, the thread and the registers, and ends the program with [`EXIT_STATUS`].
///
/// Without the formatting machinery: every image carries this, the smallest too.
pub(crate) fn report<S: System>(fault: &Fault<'_>) -> ! {
    announce::<S>(fault.cause, fault.in_interrupt);
    if let Some(address) = fault.address {
        S::write(" at address ");
        write_hexadecimal::<S>(address);
    }
    S::write("\n");
    let mut names = fault.names;
    for value in fault.values {
        let (name, rest) = names.split_at_checked(NAME_LENGTH).unwrap_or((names, ""));
        names = rest;
        S::write("  ");
        S::write(name);
        S::write(" ");
        write_hexadecimal::<S>(*value);
        S::write("\n");
    }
    S::exit(EXIT_STATUS)
}

/// The beginning of every report's first line.
fn announce<S: System>(cause: Cause, in_interrupt: bool) {
    S::write("fault: ");
    S::write(cause.text());
    if S::processor_of(S::kernel()).current.get().is_null() {
        return S::write(" before the first thread");
    }
    S::write(if in_interrupt {
        " in an interrupt handler over thread '"
    } else {
        " in thread '"
    });
    S::write(
        Kernel::<S>::running()
            .current(in_upcall())
            .name(in_upcall()),
    );
    S::write("'");
}

fn write_decimal<S: System>(value: u32) {
    if value >= 10 {
        write_decimal::<S>(value / 10);
    }
    write_digit::<S>(value as usize % 10);
}

fn write_hexadecimal<S: System>(value: usize) {
    S::write("0x");
    for shift in (0..usize::BITS).step_by(4).rev() {
        write_digit::<S>(value >> shift & 0xF);
    }
}

fn write_digit<S: System>(digit: usize) {
    const DIGITS: &str = "0123456789abcdef";
    S::write(DIGITS.get(digit..=digit).unwrap_or("?"));
}
