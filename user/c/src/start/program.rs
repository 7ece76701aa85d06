//! Owns: what comes before a program's `main` and after it: constructors; the functions that were
//! registered with `atexit`, and destructors; the end. Must never know: where `main` runs; the
//! kernel.

use crate::object::Memory;
use crate::os::masked;
use core::cell::Cell;
use core::ffi::{c_char, c_int, c_void};
use core::mem::transmute;
use core::{ptr, slice};

/// A constructor or a destructor.
type Function = unsafe extern "C" fn();
/// A function that is called at the program's end, and its argument. One of `atexit` gets a word
/// that it does not look at.
type Handler = (unsafe extern "C" fn(*mut c_void), *mut c_void);

unsafe extern "C" {
    /// Tables of constructors, which are one after the other, and that of destructors, by the
    /// linker script.
    static __preinit_array_start: Function;
    static __init_array_end: Function;
    static __fini_array_start: Function;
    static __fini_array_end: Function;
    /// The program's `main`: the linker has others call [`__wrap_main`] (`--wrap=main`).
    fn __real_main(count: c_int, words: *mut *mut c_char) -> c_int;
    /// [`taktos_run_main`], unless the linker was given another one.
    fn _taktos_run_main() -> !;
}

/// Returns the functions between two places of a table.
///
/// # Safety
/// The functions are there, by the linker script.
unsafe fn between(first: *const Function, end: *const Function) -> &'static [Function] {
    let count = (end.addr() - first.addr()) / size_of::<Function>();
    // SAFETY: the caller guarantees that `first` and `end` delimit a table of functions.
    unsafe { slice::from_raw_parts(first, count) }
}

/// The `main` that the start-up code calls: it calls the constructors, in their order, then
/// [`_taktos_run_main`].
#[unsafe(no_mangle)]
extern "C" fn __wrap_main() -> c_int {
    // SAFETY: the tables are the linker script's; each constructor is called once, and nothing runs
    // meanwhile.
    unsafe {
        for constructor in between(
            &raw const __preinit_array_start,
            &raw const __init_array_end,
        ) {
            constructor();
        }
        _taktos_run_main()
    }
}

/// Calls the program's `main` where the start-up code is, and ends with its value.
#[unsafe(no_mangle)]
extern "C" fn taktos_run_main() -> ! {
    taktos_end(main())
}

/// The program's `main`, once.
pub fn main() -> c_int {
    // No words, and what ends them.
    let mut words = [ptr::null_mut::<c_char>()];
    // SAFETY: its words are as the standard has them.
    unsafe { __real_main(0, words.as_mut_ptr()) }
}

/// Number of handlers of a block: as many as C's standard requires.
const ROOM: usize = 32;

/// Handlers, the last one on top, and a full block below.
struct Block {
    handlers: [Cell<Option<Handler>>; ROOM],
    count: Cell<usize>,
    below: Option<&'static Self>,
}

impl Block {
    const fn above(below: Option<&'static Self>) -> Self {
        Self {
            handlers: [const { Cell::new(None) }; ROOM],
            count: Cell::new(0),
            below,
        }
    }

    /// Whether there was room.
    fn push(&self, handler: Handler) -> bool {
        let count = self.count.get();
        if count == ROOM {
            return false;
        }
        self.handlers[count].set(Some(handler));
        self.count.set(count + 1);
        true
    }
}

/// All handlers.
struct Handlers {
    first: Block,
    /// The block on top; none while that is the first one.
    top: Cell<Option<&'static Block>>,
}

// SAFETY: all is reached only while all that may call is masked.
unsafe impl Sync for Handlers {}

static HANDLERS: Handlers = Handlers {
    first: Block::above(None),
    top: Cell::new(None),
};

impl Handlers {
    fn top(&'static self) -> &'static Block {
        self.top.get().unwrap_or(&self.first)
    }

    /// Whether there was room, or memory for more.
    fn push(&'static self, handler: Handler) -> bool {
        loop {
            let below = masked(|| self.top());
            if masked(|| self.top().push(handler)) {
                return true;
            }
            super::prepare_heap();
            let Some(block) = Memory::hold(Block::above(Some(below))) else {
                return false;
            };
            // Where another thread was first there is room on its block; this one is left alone.
            masked(|| {
                if ptr::eq(self.top(), below) {
                    self.top.set(Some(block));
                }
            });
        }
    }

    /// Removes and returns the handler that was registered last.
    fn pop(&'static self) -> Option<Handler> {
        masked(|| {
            if self.top().count.get() == 0 {
                self.top.set(self.top().below);
            }
            let top = self.top();
            top.count.set(top.count.get().checked_sub(1)?);
            top.handlers[top.count.get()].take()
        })
    }
}

/// `atexit`: has `handler` called at the program's end, before those that were registered earlier.
/// 0, or −1 if there is no memory.
#[unsafe(no_mangle)]
extern "C" fn taktos_at_exit(handler: Function) -> c_int {
    // SAFETY: a C function does not mind a word more.
    let handler = unsafe { transmute::<Function, unsafe extern "C" fn(*mut c_void)>(handler) };
    taktos_at_exit_with(handler, ptr::null_mut(), ptr::null_mut())
}

/// `__cxa_atexit`, by which compilers have static objects destroyed. There is one module: which one
/// does not matter.
#[unsafe(no_mangle)]
extern "C" fn taktos_at_exit_with(
    handler: unsafe extern "C" fn(*mut c_void),
    with: *mut c_void,
    _: *mut c_void,
) -> c_int {
    match HANDLERS.push((handler, with)) {
        true => 0,
        false => -1,
    }
}

/// `__aeabi_atexit`: the same in another order.
#[cfg(target_arch = "arm")]
#[unsafe(no_mangle)]
extern "C" fn taktos_at_exit_of(
    with: *mut c_void,
    handler: unsafe extern "C" fn(*mut c_void),
    module: *mut c_void,
) -> c_int {
    taktos_at_exit_with(handler, with, module)
}

/// `exit`: calls the handlers, the last one first, also those that they tell; then destructors;
/// writes what newlib has not written yet; ends the program.
#[unsafe(no_mangle)]
pub extern "C" fn taktos_end(status: c_int) -> ! {
    while let Some((handler, with)) = HANDLERS.pop() {
        // SAFETY: the program's, with its own word.
        unsafe { handler(with) };
    }
    // SAFETY: the table is the linker script's.
    for destructor in unsafe { between(&raw const __fini_array_start, &raw const __fini_array_end) }
        .iter()
        .rev()
    {
        // SAFETY: the program's.
        unsafe { destructor() };
    }
    super::write_out();
    super::end(status)
}

/// The module of a static object, as compilers name it.
#[unsafe(no_mangle)]
static taktos_module: usize = 0;

names! {
    "exit" = "taktos_end",
    "atexit" = "taktos_at_exit",
    "__cxa_atexit" = "taktos_at_exit_with",
    "__dso_handle" = "taktos_module",
}
#[cfg(target_arch = "arm")]
names! {
    "__aeabi_atexit" = "taktos_at_exit_of",
}
