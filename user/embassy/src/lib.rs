//! Executors of [embassy](https://embassy.dev) on threads of the kernel, with embassy's time and
//! critical sections.
//!
//! An executor is a thread: tasks of one executor switch at the points where they await, and
//! executors preempt each other as threads of their priorities do. A program names its board once,
//! and starts a thread for each executor:
//!
//! ```ignore
//! taktos_embassy::runtime!(Async on Board);
//!
//! static WORKER: Thread<Board, STACK> = Thread::new("worker").priority(5);
//! static EXECUTOR: Executor<Async> = Executor::new();
//!
//! let _ = WORKER.start(|| EXECUTOR.run(|spawner| spawner.spawn(blink().unwrap())));
//! ```
//!
//! # Critical sections
//! Those of the crate `critical-section` mask interrupts up to the kernel's level, as the kernel's
//! own do; they nest. No call of the kernel may be made in one. Waking a task is allowed: a wake in
//! a critical section takes effect when the section ends. A handler above the kernel's level may
//! neither enter one nor wake: the program ends with a report that names the interrupt. For one
//! processor.
//!
//! # Unsafe
//! In `section`, `executor` and `awaited`, where embassy's invariants meet the kernel's.
//!
//! Owns: how embassy's three interfaces (pender, time driver, critical section) are the kernel's.
//! Must never know: a board, or a task.
#![no_std]

mod awaited;
mod core;
mod executor;
mod section;
mod time;

pub use awaited::Awaited;
pub use executor::Executor;
pub use section::Section;
pub use time::Time;

#[doc(hidden)]
pub use {critical_section, embassy_time_driver};

use taktos_kernel::System;

/// Common interface of a program's executors. [`runtime!`] makes one.
pub trait Runtime: Sized + 'static {
    /// The kernel that its threads run on.
    type System: System;

    /// Its critical section.
    fn section() -> &'static Section<Self::System>;
}

/// `runtime!(Name on Board)`: the type `Name`, by which executors know that they are the board's,
/// and what embassy links to. Once in a program.
#[macro_export]
macro_rules! runtime {
    ($name:ident on $system:ty) => {
        /// Runtime of this program's executors.
        pub struct $name;

        static TAKTOS_EMBASSY_SECTION: $crate::Section<$system> = $crate::Section::new();
        $crate::embassy_time_driver::time_driver_impl!(
            static TAKTOS_EMBASSY_TIME: $crate::Time<$name> = $crate::Time::new()
        );

        impl $crate::Runtime for $name {
            type System = $system;

            fn section() -> &'static $crate::Section<$system> {
                &TAKTOS_EMBASSY_SECTION
            }
        }

        $crate::critical_section::set_impl!($name);

        // SAFETY: a section excludes all code that may enter one: on one processor, this means
        // interrupts up to the kernel's level.
        unsafe impl $crate::critical_section::Impl for $name {
            unsafe fn acquire() -> $crate::critical_section::RawRestoreState {
                TAKTOS_EMBASSY_SECTION.acquire();
                ::core::default::Default::default()
            }

            unsafe fn release(_: $crate::critical_section::RawRestoreState) {
                // SAFETY: the crate `critical-section` releases what it acquired, innermost first.
                unsafe { TAKTOS_EMBASSY_SECTION.release() }
            }
        }

        #[unsafe(export_name = "__pender")]
        fn taktos_embassy_pender(context: *mut ()) {
            // SAFETY: executors of this program are of this runtime, and hand themselves over.
            unsafe { $crate::Executor::<$name>::pend(context) }
        }
    };
}
