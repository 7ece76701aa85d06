//! Owns: the words on the stack of a thread that has not run yet.
//! Must never know: what registers are called.

use taktos_machine::{Context, StackRegion};

/// A caller's frame, from low to high, and above it what the first instructions of a thread find.
#[repr(C)]
struct FirstFrame {
    /// The two registers that a caller's frame holds.
    registers: [usize; 2],
    resume_at: usize,
    filler: usize,
    words: [usize; 2],
    entry: usize,
    filler_too: usize,
}

/// Lays out the frame of a thread that has not run yet. The thread begins at `begin`, and finds
/// above the caller's frame the words `first`, `second` and `entry`.
///
/// # Safety
/// `stack` is memory that nothing else is in.
pub unsafe fn prepare(
    context: &Context,
    stack: StackRegion,
    begin: extern "C" fn(),
    entry: extern "C" fn(usize, usize) -> !,
    [first, second]: [usize; 2],
) {
    let frame = FirstFrame {
        registers: [0; 2],
        resume_at: begin as *const () as usize,
        filler: 0,
        words: [first, second],
        entry: entry as usize,
        filler_too: 0,
    };
    let top = (stack.base + stack.size) & !15;
    let place = top - size_of::<FirstFrame>();
    // SAFETY: within the stack, which the caller says is free; a multiple of sixteen.
    unsafe { core::ptr::with_exposed_provenance_mut::<FirstFrame>(place).write(frame) };
    context.stack_pointer.set(place);
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;
    use core::cell::UnsafeCell;

    #[repr(align(16))]
    struct Stack(UnsafeCell<[usize; 16]>);

    extern "C" fn begin() {}

    extern "C" fn entry(_: usize, _: usize) -> ! {
        unreachable!("nobody runs it")
    }

    /// Where the ports' first instructions look.
    #[test]
    fn the_first_frame_is_a_callers_with_three_words_above() {
        let stack = Stack(UnsafeCell::new([usize::MAX; 16]));
        let base = stack.0.get().expose_provenance();
        // Not a multiple of sixteen: the top is cut.
        let region = StackRegion {
            guard: base,
            base,
            size: 15 * size_of::<usize>(),
        };
        let context = Context::EMPTY;
        // SAFETY: the stack is the test's own.
        unsafe { prepare(&context, region, begin, entry, [3, 5]) };
        let words = stack.0.into_inner();
        let place = context.stack_pointer.get();
        assert_eq!((place % 16, place - base), (0, 6 * size_of::<usize>()));
        assert_eq!(words[6..8], [0, 0]);
        assert_eq!(words[8], begin as *const () as usize);
        assert_eq!(words[10..13], [3, 5, entry as *const () as usize]);
        assert_eq!((words[5], words[14]), (usize::MAX, usize::MAX));
    }
}
