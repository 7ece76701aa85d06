//! Owns: what compilers of C++ ask for: local statics that one thread makes, what no program may
//! call; on the 64-bit boards, which have no C++ library, `new` and `delete` besides, and names of
//! what is not there: exceptions. Must never know: what a program's objects are.
//!
//! The names are those of the Itanium C++ ABI, which these compilers have in common; on Arm a guard
//! is a word, of which the lowest bit counts ("C++ ABI for the Arm Architecture", 3.2.3), elsewhere
//! two, of which the first byte does.

use crate::turn::Turn;
use core::ffi::c_int;
use core::sync::atomic::{AtomicU8, Ordering};

/// Turn to make local statics: one thread's at a time, which may make some for others.
static TURN: Turn = Turn::new();

/// `__cxa_guard_acquire`: 1 if the caller is to make the variable of `guard`, 0 if it is made.
/// Another thread that calls it meanwhile waits.
///
/// # Safety
/// It is a guard.
#[unsafe(no_mangle)]
unsafe extern "C" fn taktos_guard_acquire(guard: *mut u8) -> c_int {
    // SAFETY: the caller guarantees that `guard` is a guard. It is accessed as an atomic only.
    let guard = unsafe { AtomicU8::from_ptr(guard) };
    if guard.load(Ordering::Acquire) != 0 {
        return 0;
    }
    TURN.take();
    if guard.load(Ordering::Acquire) != 0 {
        TURN.end();
        return 0;
    }
    1
}

/// `__cxa_guard_release`: it is made.
///
/// # Safety
/// As [`taktos_guard_acquire`], which returned 1 to the caller.
#[unsafe(no_mangle)]
unsafe extern "C" fn taktos_guard_release(guard: *mut u8) {
    // SAFETY: the caller guarantees that `guard` is the guard that it acquired.
    unsafe { AtomicU8::from_ptr(guard) }.store(1, Ordering::Release);
    TURN.end();
}

/// `__cxa_guard_abort`: it could not be made.
#[unsafe(no_mangle)]
extern "C" fn taktos_guard_abort(_: *mut u8) {
    TURN.end();
}

/// `__cxa_pure_virtual` and `__cxa_deleted_virtual`.
#[unsafe(no_mangle)]
extern "C" fn taktos_no_function() -> ! {
    panic!("a virtual function is called that its class has not")
}

names! {
    "__cxa_guard_acquire" = "taktos_guard_acquire",
    "__cxa_guard_release" = "taktos_guard_release",
    "__cxa_guard_abort" = "taktos_guard_abort",
    "__cxa_pure_virtual" = "taktos_no_function",
    "__cxa_deleted_virtual" = "taktos_no_function",
}

#[cfg(not(target_arch = "arm"))]
mod alone {
    use super::super::prepare_heap;
    use crate::object::Memory;
    use core::ffi::c_void;
    use core::ptr::NonNull;

    /// `new`, from the kernel's heap, at a multiple of 32.
    #[unsafe(no_mangle)]
    extern "C" fn taktos_new(size: usize) -> *mut c_void {
        prepare_heap();
        match Memory::of_heap(size.max(1)) {
            Some(memory) => memory.start.as_ptr().cast(),
            None => panic!("no memory is left for `new`"),
        }
    }

    /// `delete`; does nothing for null.
    ///
    /// # Safety
    /// `new` gave the block, and no code uses it any more.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn taktos_delete(block: *mut c_void) {
        if let Some(start) = NonNull::new(block.cast()) {
            let memory = Memory {
                start,
                in_heap: true,
            };
            // SAFETY: the caller guarantees that `block` is from `new`, and that no code uses it
            // any more.
            unsafe { memory.free() };
        }
    }

    /// Whatever has to do with an exception.
    #[unsafe(no_mangle)]
    extern "C" fn taktos_no_exception() -> ! {
        panic!("there are no exceptions on this board")
    }

    /// Replaces the tables of the classes by which a C++ library describes classes: no code reads
    /// them.
    #[unsafe(no_mangle)]
    static taktos_no_class: [usize; 16] = [0; 16];

    names! {
        "_Znwm" = "taktos_new",
        "_Znam" = "taktos_new",
        "_ZdlPv" = "taktos_delete",
        "_ZdaPv" = "taktos_delete",
        "_ZdlPvm" = "taktos_delete",
        "_ZdaPvm" = "taktos_delete",
        "__gxx_personality_v0" = "taktos_no_exception",
        "_Unwind_Resume" = "taktos_no_exception",
        "_ZSt9terminatev" = "taktos_no_exception",
        "__cxa_allocate_exception" = "taktos_no_exception",
        "__cxa_free_exception" = "taktos_no_exception",
        "__cxa_throw" = "taktos_no_exception",
        "__cxa_rethrow" = "taktos_no_exception",
        "__cxa_begin_catch" = "taktos_no_exception",
        "__cxa_end_catch" = "taktos_no_exception",
        "__cxa_call_terminate" = "taktos_no_exception",
        "__cxa_call_unexpected" = "taktos_no_exception",
        "__cxa_throw_bad_array_new_length" = "taktos_no_exception",
        "_ZTVN10__cxxabiv117__class_type_infoE" = "taktos_no_class",
        "_ZTVN10__cxxabiv120__si_class_type_infoE" = "taktos_no_class",
        "_ZTVN10__cxxabiv121__vmi_class_type_infoE" = "taktos_no_class",
    }
}
