//! Owns: how a board's kernel is called by the names that the ports know.

/// Wires a port's timers to a type that implements [`Upcalls`](taktos_machine::Upcalls).
#[doc(hidden)]
#[macro_export]
macro_rules! wire_timers {
    ($upcalls:ty) => {
        /// The alarm's time has come.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn taktos_alarm() {
            // SAFETY: the caller's, an interrupt of the port's, as the declaration there says.
            unsafe { <$upcalls as $crate::reexports::Upcalls>::alarm() };
        }

        /// The slice's time has come.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn taktos_slice_end() {
            // SAFETY: the caller's, an interrupt of the port's, as the declaration there says.
            unsafe { <$upcalls as $crate::reexports::Upcalls>::slice_end() };
        }
    };
}

/// Makes room for the processors of a board, `$blocks` and `$stacks`, and wires them to a type that implements
/// [`Upcalls`](taktos_machine::Upcalls).
#[doc(hidden)]
#[macro_export]
macro_rules! wire_processors {
    ($upcalls:ty, $blocks:ty, $stacks:ty, $size:expr) => {
        /// Who runs on each processor; watched by the laboratory.
        #[unsafe(no_mangle)]
        static TAKTOS_PROCESSORS: $blocks = <$blocks>::new();

        // How far they lie apart, for the laboratory.
        ::core::arch::global_asm!(
            ".globl \"taktos.layout.processor\"",
            ".set \"taktos.layout.processor\", {size}",
            size = const $size,
        );

        /// The stacks of handlers and of fault reports.
        #[unsafe(export_name = "taktos_stacks")]
        static TAKTOS_STACKS: $stacks = <$stacks>::new();

        /// Another processor has called.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn taktos_called() {
            // SAFETY: the caller's, an interrupt of the port's, as the declaration there says.
            unsafe { <$upcalls as $crate::reexports::Upcalls>::called() };
        }

        /// An interrupt ends, and the heir is not the current thread.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn taktos_choose() -> *const $crate::reexports::Context {
            // SAFETY: the caller's, the end of an interrupt, as the declaration there says.
            unsafe { <$upcalls as $crate::reexports::Upcalls>::choose() }
        }
    };
}
