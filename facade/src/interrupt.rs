//! Interrupts of the program's own devices: [`interrupt`](macro@crate::interrupt) makes a function
//! the handler of one, and under the function's name a [`Line`] lets it through.
//!
//! Owns: what a program says of an interrupt line, on every board and on the host.
//! Must never know: which device interrupts by it.

use crate::board;

#[cfg(not(nvic))]
type Machine = <board::Board as crate::System>::Machine;

/// How urgent an interrupt is, against the kernel. The other two levels than the kernel's are those
/// of a Cortex-M.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[doc(hidden)]
pub enum Level {
    /// The handler may call what the book marks *handler*; handlers there do not interrupt each
    /// other.
    Kernel,
    /// Less urgent: the same, but that more urgent handlers interrupt it.
    Below(u8),
    /// Never delayed by the kernel, which its handler must not call.
    Above(u8),
}

/// An interrupt with its handler, as [`interrupt`](macro@crate::interrupt) makes it.
///
/// ```
/// use taktos::interrupt::Line;
///
/// #[taktos::interrupt(3)]
/// fn received() {}
///
/// # fn main() {
/// let line: &Line = &received;
/// assert_eq!(line.number(), 3);
/// # }
/// ```
pub struct Line {
    number: u32,
    #[cfg_attr(nvic, expect(dead_code, reason = "the table of vectors has it"))]
    handler: fn(),
    #[cfg_attr(not(nvic), expect(dead_code, reason = "there is but one level"))]
    level: Level,
}

impl Line {
    /// The line that the attribute makes.
    #[doc(hidden)]
    pub const fn __new(number: u32, handler: fn(), level: Level) -> Self {
        assert!(
            number < board::INTERRUPTS,
            "the board has no interrupt of this number for a program"
        );
        match level {
            Level::Kernel => (),
            Level::Below(priority) => {
                assert!(priority > 0x80, "below the kernel's level are 0x81 to 0xFF")
            }
            Level::Above(priority) => {
                assert!(priority < 0x80, "above the kernel's level are 0 to 0x7F")
            }
        }
        Self {
            number,
            handler,
            level,
        }
    }

    /// The interrupt's number.
    ///
    /// ```
    /// # use taktos::board::{self, Board};
    /// # use taktos::*;
    /// static SEEN: Semaphore<Board> = Semaphore::new(0);
    ///
    /// #[taktos::interrupt(3)]
    /// fn due(interrupt: &Interrupt<Board>) {
    ///     let _ = SEEN.give_in(interrupt);
    /// }
    /// # fn main() {
    /// # let outcome = board::run(|| {
    /// assert_eq!(due.number(), 3);
    /// # Board::exit(0);
    /// # });
    /// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
    /// # }
    /// ```
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Lets the interrupt reach its handler, at once if it waits for that. Bound: fixed. Allowed in
    /// threads and handlers.
    ///
    /// ```
    /// # use taktos::board::{self, Board};
    /// # use taktos::*;
    /// static SEEN: Semaphore<Board> = Semaphore::new(0);
    ///
    /// #[taktos::interrupt(4)]
    /// fn due(interrupt: &Interrupt<Board>) {
    ///     let _ = SEEN.give_in(interrupt);
    /// }
    /// # fn main() {
    /// # let outcome = board::run(|| {
    /// due.pend(); // it waits where it comes
    /// assert_eq!(SEEN.count(), 0);
    /// due.enable();
    /// assert_eq!(SEEN.count(), 1);
    /// # Board::exit(0);
    /// # });
    /// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
    /// # }
    /// ```
    pub fn enable(&self) {
        #[cfg(nvic)]
        enable_at(self.number, self.level);
        #[cfg(not(nvic))]
        Machine::set_handler(self.number, self.handler);
    }

    /// Keeps the interrupt from its handler; it waits where it comes. Those that software sends, 0
    /// to 15 of an Arm GIC of version 1 or 2 and of RISC-V, cannot be kept. Bound: fixed.
    /// Allowed in threads and handlers.
    ///
    /// ```
    /// # use taktos::board::{self, Board};
    /// # use taktos::*;
    /// static SEEN: Semaphore<Board> = Semaphore::new(0);
    ///
    /// #[taktos::interrupt(5)]
    /// fn due(interrupt: &Interrupt<Board>) {
    ///     let _ = SEEN.give_in(interrupt);
    /// }
    /// # fn main() {
    /// # let outcome = board::run(|| {
    /// due.enable();
    /// due.disable();
    /// due.pend();
    /// assert_eq!(SEEN.count(), 0);
    /// # Board::exit(0);
    /// # });
    /// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
    /// # }
    /// ```
    pub fn disable(&self) {
        #[cfg(nvic)]
        board::arch::disable_interrupt(narrow(self.number));
        #[cfg(not(nvic))]
        Machine::disable_interrupt(self.number);
    }

    /// Makes the interrupt pending, as its device would. On RISC-V a device's interrupt stays as it
    /// is: the controller has no way to do that. Bound: fixed. Allowed in threads and handlers.
    ///
    /// ```
    /// # use taktos::board::{self, Board};
    /// # use taktos::*;
    /// static SEEN: Semaphore<Board> = Semaphore::new(0);
    ///
    /// #[taktos::interrupt(6)]
    /// fn due(interrupt: &Interrupt<Board>) {
    ///     let _ = SEEN.give_in(interrupt);
    /// }
    /// # fn main() {
    /// # let outcome = board::run(|| {
    /// due.enable();
    /// due.pend();
    /// assert_eq!(SEEN.take(Timeout::NONE), Ok(()));
    /// # Board::exit(0);
    /// # });
    /// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
    /// # }
    /// ```
    #[inline(always)]
    pub fn pend(&self) {
        #[cfg(nvic)]
        board::arch::pend_interrupt(narrow(self.number));
        #[cfg(not(nvic))]
        Machine::pend_interrupt(self.number);
    }
}

/// The number as the Cortex-M's controller takes it: it is below 496.
#[cfg(nvic)]
#[inline(always)]
fn narrow(number: u32) -> u16 {
    number as u16
}

/// Puts every interrupt above the kernel's level at that level, but for those that
/// [`interrupt`](macro@crate::interrupt) says are above. On a Cortex-M all are above after a reset,
/// and the start of the kernel does this. A program calls it after code that sets priorities later,
/// such as a vendor's driver. On other machines there is nothing to do. Bound: fixed, by the number
/// of interrupts. Allowed in threads.
///
/// ```
/// # fn main() {
/// # let outcome = taktos::board::run(|| {
/// // driver.start();
/// taktos::interrupt::bring_to_kernel_level();
/// # use taktos::System;
/// # taktos::board::Board::exit(0);
/// # });
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// # }
/// ```
pub fn bring_to_kernel_level() {
    #[cfg(nvic)]
    board::arch::bring_to_kernel_level();
}

#[cfg(nvic)]
fn enable_at(number: u32, level: Level) {
    let level = match level {
        Level::Kernel => board::arch::Level::Kernel,
        Level::Below(priority) => board::arch::Level::Below(priority),
        Level::Above(priority) => board::arch::Level::Above(priority),
    };
    board::arch::enable_interrupt(narrow(number), level);
}

/// Where the table of vectors is the chip's crate's, the handler is that of the interrupt's name
/// there.
#[cfg(all(nvic, feature = "pac"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __place {
    ($side:ident, [] $which:expr, $number:expr, $handler:path) => {
        ::core::compile_error!("with the feature `pac` of `taktos` the table of interrupts is the chip's crate's: name the interrupt as that does, such as #[taktos::interrupt(pac::Interrupt::USART1)]");
    };
    (above, [$name:ident] $which:expr, $number:expr, $handler:path) => {
        $crate::__of_chip!($which);
        $crate::board::arch::above!(#[unsafe(no_mangle)] $name, $handler);
    };
    ($side:ident, [$name:ident] $which:expr, $number:expr, $handler:path) => {
        $crate::__of_chip!($which);
        #[unsafe(no_mangle)]
        extern "C" fn $name() {
            $handler()
        }
    };
}

/// Refuses a number in place of an interrupt of the chip's crate: its name would be in no table.
#[cfg(all(nvic, feature = "pac"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __of_chip {
    ($which:expr) => {
        const _: fn() = || {
            fn interrupt_of_the_chips_crate(_: impl $crate::board::arch::InterruptNumber) {}
            interrupt_of_the_chips_crate($which);
        };
    };
}

/// Puts the handler of an interrupt where the processor finds it: a Cortex-M in its table of
/// vectors.
#[cfg(all(nvic, not(feature = "pac")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __place {
    (above, [$($name:ident)?] $which:expr, $number:expr, $handler:path) => {
        $crate::board::arch::above!(vector, $handler);
        $crate::board::arch::vector!($number, vector);
    };
    ($side:ident, [$($name:ident)?] $which:expr, $number:expr, $handler:path) => {
        $crate::board::arch::vector!($number, $handler);
    };
}

/// Elsewhere the port's table has it when it is let through. A symbol ensures that an interrupt has
/// one handler.
#[cfg(all(not(nvic), target_os = "none"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __place {
    (kernel, [$($name:ident)?] $which:expr, $number:expr, $handler:path) => {
        ::core::arch::global_asm!(
            ".globl \"taktos.interrupt.{number}\"",
            ".set \"taktos.interrupt.{number}\", {number}",
            number = const $number,
        );
    };
    ($side:ident, [$($name:ident)?] $which:expr, $number:expr, $handler:path) => {
        ::core::compile_error!("this board's interrupts are at the kernel's level: levels below and above it are a Cortex-M's");
    };
}

/// On the host there is nothing to be found.
#[cfg(not(target_os = "none"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __place {
    ($side:ident, [$($name:ident)?] $which:expr, $number:expr, $handler:path) => {};
}
