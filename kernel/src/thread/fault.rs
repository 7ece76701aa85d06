//! Owns: how a fault is reported and how the program ends by it.

use crate::critical_section::CriticalSection;
#[cfg(feature = "c-library")]
use crate::critical_section::Guarded;
#[cfg(feature = "c-library")]
use crate::sched::hold;
use crate::sched::is_smp;
use crate::thread::tcb::ThreadRef;
use crate::{Kernel, System};
use core::fmt::{self, Write};
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use taktos_machine::{Cause, Fault, Machine, NAME_LENGTH};

/// The status with which a program ends after a fault.
pub const EXIT_STATUS: i32 = 70;

/// Whether a report has begun.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Begins a report. If one has begun before, this is a fault of its own, of the console or of the
/// program's end (semihosting that is not carried out): there is no means left to report it, and
/// the processor stays here. So does another one that faults meanwhile.
fn begin<S: System>() {
    if S::BRIEF_REPORTS {
        return;
    }
    // On the host a program's end is not that of the process.
    while cfg!(target_os = "none") && BEGUN.load(Relaxed) {
        core::hint::spin_loop();
    }
    BEGUN.store(true, Relaxed);
}

struct Console<S>(core::marker::PhantomData<S>);

impl<S: System> fmt::Write for Console<S> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        S::write(text);
        Ok(())
    }
}

/// Whether the program formats text, so that its image carries what is needed for that.
static FORMATS: AtomicBool = AtomicBool::new(false);

/// Makes a panic write its reason with its values, even if the program formats no other text: from
/// here on the image contains the code for that. Bound: a store. Allowed everywhere.
pub fn tell_reasons() {
    FORMATS.store(true, Relaxed);
}

/// Writes formatted text to the system's console. Bounded by the device; allowed everywhere.
pub fn print<S: System>(text: fmt::Arguments<'_>) {
    tell_reasons();
    write_formatted::<S>(text);
}

fn write_formatted<S: System>(text: fmt::Arguments<'_>) {
    // A console that cannot be written to has nowhere to say so.
    let _ = Console::<S>(core::marker::PhantomData).write_fmt(text);
}

/// Writes the thread, the place where the program gave up and why, and ends it with
/// [`EXIT_STATUS`]. For a board's panic handler; allowed everywhere.
///
/// A reason that is to be formatted is written if the program has formatted something before, by
/// [`print`], or requested reasons, by [`tell_reasons`]. The image of a program that does neither
/// does not contain the code for that.
pub fn panicked<S: System>(panic: &PanicInfo<'_>) -> ! {
    begin::<S>();
    announce::<S>(Cause::Panic, S::Machine::in_interrupt());
    if let Some(place) = panic.location() {
        S::write(" at ");
        S::write(in_its_crate(place.file()));
        S::write(":");
        write_decimal::<S>(place.line());
    }
    if let Some(text) = panic.message().as_str() {
        S::write(": ");
        S::write(text);
    } else if FORMATS.load(Relaxed) {
        write_formatted::<S>(format_args!(": {}", panic.message()));
    }
    end_line::<S>();
    S::exit(EXIT_STATUS)
}

/// Returns the part of `file` from its crate's folder on, on every developer's machine. If the
/// compiler got the crate by its whole path, as the dependencies of a program, the part above that
/// folder names a person's machine and nothing of the program.
fn in_its_crate(file: &str) -> &str {
    const SOURCES: usize = "/src/".len();
    let is_whole = file.starts_with('/');
    let sources = is_whole.then(|| {
        file.as_bytes()
            .windows(SOURCES)
            .rposition(|part| matches!(part, b"/src/"))
    });
    let Some(above) = sources.flatten().and_then(|end| file.get(..end)) else {
        return file;
    };
    let begin = above
        .bytes()
        .rposition(|letter| letter == b'/')
        .map_or(0, |slash| slash + 1);
    file.get(begin..).unwrap_or(file)
}

/// Ends the program with the report of a forbidden call where the caller is an interrupt handler
/// above the kernel's level, which no section keeps out; for what enters sections without calling
/// the kernel. Bound: fixed, where it is none. Allowed everywhere.
#[inline(always)]
pub fn refuse_from_above<S: System>() {
    if S::Machine::in_interrupt() && !S::Machine::may_call() {
        report_from_above::<S>();
    }
}

#[cold]
#[inline(never)]
fn report_from_above<S: System>() -> ! {
    report::<S>(&Fault {
        cause: Cause::ForbiddenCall,
        address: None,
        values: &[],
        names: "",
        status: None,
        in_interrupt: true,
    })
}

/// Writes the cause, the thread and the registers, and ends the program with [`EXIT_STATUS`].
///
/// Without the formatting machinery: every image carries this, the smallest too.
pub(crate) fn report<S: System>(fault: &Fault<'_>) -> ! {
    begin::<S>();
    announce::<S>(cause_of::<S>(fault), fault.in_interrupt);
    if let Some(address) = fault.address {
        S::write(" at address ");
        write_hexadecimal::<S>(address);
    }
    end_line::<S>();
    let is_brief = S::BRIEF_REPORTS;
    if let (false, Some((name, value))) = (is_brief, fault.status) {
        write_register::<S>(name, Some(*value));
    }
    let mut names = fault.names;
    for (place, value) in fault.values.iter().enumerate() {
        let (name, rest) = names.split_at_checked(NAME_LENGTH).unwrap_or((names, ""));
        names = rest;
        let is_known = is_brief || !S::Machine::lost(fault.values).contains(&place);
        write_register::<S>(name, is_known.then_some(*value));
    }
    #[cfg(feature = "c-library")]
    if cause_of::<S>(fault) == Cause::StackOverflow
        && !fault.in_interrupt
        && let Some(call) = ON_STACK_OVERFLOW.get(last_section())
    {
        call();
    }
    S::exit(EXIT_STATUS)
}

/// The function that is called after the report of a thread's stack overflow.
#[cfg(feature = "c-library")]
static ON_STACK_OVERFLOW: Guarded<Option<fn()>> = Guarded::new(None);

/// Sets `call` as the function after the report of a thread's stack overflow: it is called in the
/// handler of the fault, before the program ends. The current thread is the one with the overflow.
/// Bound: a store. Allowed everywhere.
#[cfg(feature = "c-library")]
pub fn on_stack_overflow<S: System>(call: fn()) {
    ON_STACK_OVERFLOW.set(hold::<S>().section(), Some(call));
}

/// A line for a register, of which nothing may be known.
fn write_register<S: System>(name: &str, value: Option<usize>) {
    S::write("  ");
    S::write(name);
    S::write(" ");
    match value {
        Some(value) => write_hexadecimal::<S>(value),
        None => S::write("unknown"),
    }
    S::write("\n");
}

/// The beginning of every report's first line.
fn announce<S: System>(cause: Cause, in_interrupt: bool) {
    S::write("fault: ");
    S::write(cause.text());
    let number = S::Machine::interrupt_number().filter(|_| !S::BRIEF_REPORTS);
    if let Some(number) = number {
        S::write(" in the handler of interrupt ");
        write_decimal::<S>(number as u32);
    }
    let Some(thread) = running::<S>() else {
        return S::write(" before the first thread");
    };
    S::write(match (number, in_interrupt) {
        (Some(_), _) => " over thread '",
        (None, true) => " in an interrupt handler over thread '",
        (None, false) => " in thread '",
    });
    let intact = S::BRIEF_REPORTS || thread.intact_info::<S>(last_section()).is_some();
    S::write(if intact {
        thread.name(last_section())
    } else {
        "?"
    });
    S::write("'");
    if !intact {
        S::write(" (control block at ");
        write_hexadecimal::<S>(thread.context().addr());
        S::write(" damaged)");
    }
}

/// The end of a report's first line. Of several processors the next one names that which reports.
#[inline(always)]
fn end_line<S: System>() {
    S::write("\n");
    if is_smp::<S>() {
        S::write("  on processor ");
        write_decimal::<S>(S::Machine::number() as u32);
        S::write("\n");
    }
}

/// The section in which a program ends.
fn last_section<'end>() -> CriticalSection<'end> {
    // SAFETY: a report comes from a fault or a panic, which nothing of this processor interrupts,
    // and after which no thread of it runs: it reads the running thread, and words that are fixed
    // while a thread exists.
    unsafe { CriticalSection::assume() }
}

/// The current thread.
fn running<S: System>() -> Option<ThreadRef> {
    let is_there = !S::processor_of(S::kernel()).current.get().is_null();
    is_there.then(|| Kernel::<S>::running().current(last_section()))
}

/// Returns the cause, as far as it can be known. If guards stay, a machine distinguishes them from
/// other memory, but not their threads: a thread that touches another one's has not used up its
/// stack.
fn cause_of<S: System>(fault: &Fault<'_>) -> Cause {
    if S::Machine::GUARDS_STAY
        && let (Cause::StackOverflow, false, Some(address), Some(thread)) = (
            fault.cause,
            fault.in_interrupt,
            fault.address,
            running::<S>(),
        )
        && let Some(info) = thread.intact_info::<S>(last_section())
    {
        let stack = info.stack.get(last_section());
        if !(stack.guard..stack.base).contains(&address) {
            return Cause::DataAccess;
        }
    }
    fault.cause
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

#[cfg(test)]
mod tests {
    use super::in_its_crate;

    #[test]
    fn a_panic_names_the_crate_and_not_the_machine_that_compiled_it() {
        for (file, shown) in [
            ("src/main.rs", "src/main.rs"),
            ("kernel/src/thread/fault.rs", "kernel/src/thread/fault.rs"),
            (
                "/home/me/src/taktos/kernel/src/ipc/mod.rs",
                "kernel/src/ipc/mod.rs",
            ),
            (
                "/r/registry/src/index/heapless-0.9.3/src/vec.rs",
                "heapless-0.9.3/src/vec.rs",
            ),
            (
                "/rustc/f2d3ce0bd/library/core/src/option.rs",
                "core/src/option.rs",
            ),
            ("/src/lib.rs", "/src/lib.rs"),
            (
                "/home/me/program/build/made.rs",
                "/home/me/program/build/made.rs",
            ),
            ("", ""),
        ] {
            assert_eq!(in_its_crate(file), shown);
        }
    }
}
