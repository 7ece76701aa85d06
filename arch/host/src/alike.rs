//! Owns: the parts of the two machines that are alike to the letter: each is of its own world,
//! which the module that names them reaches by `with_world`. Must never know: a world.

/// Types and limits of the machine.
macro_rules! machine_types {
    () => {
        /// Nothing needs to be remembered: masks are not nested.
        type Mask = ();
        type Outcome = Decided;
        type Aligned = ();
        type Front<T: 'static> = ();
        type Back<T: 'static> = T;
        /// The coroutines' own stacks have guard pages.
        type Guard = ();
        const GUARD: Self::Guard = ();
        type FixedGuard = ();
        const FIXED_GUARD: () = ();
        const SMALLEST_STACK: usize = 64;
    };
}

/// Calls of threads and handlers to their world.
macro_rules! world_calls {
    () => {
        /// Keeps the processor busy for `span` of the calling thread's own time: whatever comes up
        /// in between comes up at its time, and others may run meanwhile. In an interrupt handler,
        /// or masked, only the time passes.
        pub fn spend(span: Duration) {
            with_world(|world| world.spend(span.as_nanos()));
        }

        /// Keeps the processor busy until `instant`, or as long as others run when that has passed.
        pub fn busy_until(instant: Instant) {
            with_world(|world| world.busy_until(instant.as_nanos()));
        }

        /// Calls `hook` each time that a thread unmasks interrupts, on any processor, for an
        /// interrupt that has come up there meanwhile: so that interleavings can be explored. Until
        /// the world ends.
        pub fn at_each_unmask(hook: impl FnMut() -> Option<Handler> + 'static) {
            with_world(|world| *world.hook.borrow_mut() = Some(Box::new(hook)));
        }

        /// Reports to the kernel that the running thread, or handler, faulted.
        pub fn raise(cause: Cause) -> ! {
            with_world(|world| world.fault(cause))
        }

        /// Runs `part`; a panic in it ends the world and continues from `run`. Threads with code
        /// that may panic need it: a panic cannot leave a thread.
        pub fn shielded(part: impl FnOnce()) {
            if let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(part)) {
                with_world(|world| world.end(End::Panic(panic)))
            }
        }

        /// Writes to the world's console.
        pub fn write(text: &str) {
            with_world(|world| world.console.borrow_mut().push_str(text));
        }

        /// Ends the world.
        pub fn exit(status: i32) -> ! {
            with_world(|world| world.end(End::Exit(status)))
        }
    };
}

pub(crate) use {machine_types, world_calls};
