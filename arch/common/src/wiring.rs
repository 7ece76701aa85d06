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

/// Publishes the address of the lock, a static of the port's (`taktos_abi::layout::LOCK`), to the
/// laboratory: a symbol, and no instruction.
#[doc(hidden)]
#[macro_export]
macro_rules! name_lock {
    ($lock:ident) => {
        ::core::arch::global_asm!(
            ".globl \"taktos.layout.lock\"",
            ".set \"taktos.layout.lock\", {lock}",
            lock = sym $lock,
        );
    };
}

/// Makes room for the processors of `$board`, of the port `$port`, and wires them to a type that
/// implements [`Upcalls`](taktos_machine::Upcalls).
#[doc(hidden)]
#[macro_export]
macro_rules! wire_processors {
    ($upcalls:ty, $board:ty, $port:tt) => {
        /// Running thread and heir of each processor; watched by the laboratory.
        #[unsafe(no_mangle)]
        static TAKTOS_PROCESSORS: $port::Processors<{ <$board as $port::Board>::PROCESSORS }> =
            $port::Processors::new();

        // How far they lie apart, for the laboratory.
        ::core::arch::global_asm!(
            ".globl \"taktos.layout.processor\"",
            ".set \"taktos.layout.processor\", {size}",
            size = const $port::PROCESSOR_SIZE,
        );

        /// The stacks of handlers and of fault reports.
        #[unsafe(export_name = "taktos_stacks")]
        static TAKTOS_STACKS: $crate::Stacks<{ <$board as $port::Board>::PROCESSORS }> =
            $crate::Stacks::new();

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

/// Gives a program's partitions their calls and their end, by the kernel `$kernel`, with the system
/// `$system`: the table of calls, the object that a handle with a generation names, and the report
/// of a fault. Used once, in a program, through its board: ports have it as `partitions!`.
#[macro_export]
macro_rules! wire_partitions {
    ($system:ty, $kernel:path) => {
        const _: () = {
            use $crate::reexports::{Context as AnyContext, RaisedFault, TwoWords, two_words};
            use $kernel as kernel;

            // The paths of some ports name it in their text alone.
            #[used]
            #[unsafe(no_mangle)]
            static TAKTOS_CALLS: [kernel::user::Row<$system>; kernel::user::COUNT] =
                kernel::user::table();

            /// The object of a handle with a generation, or none and an error.
            #[unsafe(no_mangle)]
            extern "C" fn taktos_user_object(
                partition: &'static kernel::user::AnyPartition<$system>,
                word: usize,
                needs: u32,
            ) -> TwoWords {
                // SAFETY: the entry of calls is the only caller, masked, for a thread of that
                // partition.
                let (object, error) = unsafe { kernel::user::object_of(partition, word, needs) };
                two_words(object.addr(), error)
            }

            /// A thread of a partition has faulted.
            #[unsafe(no_mangle)]
            extern "C" fn taktos_user_fault(fault: RaisedFault<'_>) -> *const AnyContext {
                // SAFETY: the handler of faults is the only caller, for the thread that runs.
                unsafe { kernel::user::faulted::<$system>(&fault) }
            }
        };
    };
}
