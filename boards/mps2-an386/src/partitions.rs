//! Owns: how a program of this board comes to have partitions. Must never know: the board. Other boards of the architecture take this file
//! as it is.

/// Gives a program partitions, whose threads run without privilege (`taktos_kernel::user`). Used once, in a program that has them.
#[macro_export]
macro_rules! partitions {
    () => {
        $crate::arch::partitions!($crate::Board, $crate::INTERRUPTS, $crate::kernel);
    };
}
