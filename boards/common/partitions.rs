//! Owns: how a program comes to have partitions, where the vectors are the machine's own.
//! Must never know: what they do.

/// Gives a program partitions, whose threads run without privilege (`taktos_kernel::user`). Used once, in a program that has them.
#[macro_export]
macro_rules! partitions {
    () => {
        $crate::arch::partitions!($crate::Board, $crate::kernel);
    };
}
