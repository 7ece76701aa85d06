//! Owns: the symbols by which a debugger finds the threads of an image, in addition to those of the
//! board's linker script. Must never know: the debugger that reads them (`gdb/taktos.py`).

use crate::Kernel;
use crate::board::Board;

/// Where the kernel has the thread that was created last.
#[doc(hidden)]
pub const KERNEL_THREADS: usize = Kernel::<Board>::THREADS_OFFSET;

/// Defines the symbols. They are numbers, and nothing of the image.
#[macro_export]
#[doc(hidden)]
macro_rules! __layout {
    () => {
        ::core::arch::global_asm!(
            ".globl \"taktos.layout.kernel_threads\", \"taktos.layout.info_next\"",
            ".globl \"taktos.layout.info_stack_base\", \"taktos.layout.info_stack_size\"",
            ".set \"taktos.layout.kernel_threads\", {threads}",
            ".set \"taktos.layout.info_next\", {next}",
            ".set \"taktos.layout.info_stack_base\", {base}",
            ".set \"taktos.layout.info_stack_size\", {size}",
            threads = const $crate::layout::KERNEL_THREADS,
            next = const $crate::NEXT_OFFSET,
            base = const $crate::STACK_BASE_OFFSET,
            size = const $crate::STACK_SIZE_OFFSET,
        );
    };
}
