//! Owns: the start of a board with AArch64.
//! Must never know: the board, but by its constants.

#[doc(hidden)]
pub use {aarch64_rt as rt, taktos_arch_aarch64 as arch};

/// The machine of a board.
pub type MachineOf<P> = arch::AArch64<P>;

/// Prepares the machine, before the kernel starts.
#[inline(always)]
pub fn begin<P: arch::Board>() {
    #[cfg(feature = "smp")]
    MachineOf::<P>::begin();
}
