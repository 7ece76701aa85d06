//! Owns: how a fault is reported and how the program ends by it.

use crate::section::in_upcall;
use crate::{Kernel, System};
use core::fmt::{self, Write};
use taktos_machine::{Fault, NAME_LENGTH};

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

/// Writes the cause, the thread and the registers, and ends the program with [`EXIT_STATUS`].
///
/// Without the formatting machinery: every image carries this, the smallest too.
pub(crate) fn report<S: System>(fault: &Fault<'_>) -> ! {
    S::write("fault: ");
    S::write(fault.cause.text());
    S::write(if fault.in_interrupt { " in an interrupt handler over thread '" } else { " in thread '" });
    S::write(Kernel::<S>::running().current(in_upcall()).name(in_upcall()));
    S::write("'");
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

fn write_hexadecimal<S: System>(value: usize) {
    const DIGITS: &str = "0123456789abcdef";
    S::write("0x");
    for shift in (0..usize::BITS).step_by(4).rev() {
        let digit = value >> shift & 0xF;
        S::write(&DIGITS[digit..=digit]);
    }
}
