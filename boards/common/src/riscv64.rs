//! Owns: the start of a board with RISC-V of 64 bits.
//! Must never know: the board, but by its constants.

#[doc(hidden)]
pub use {riscv_rt as rt, taktos_arch_riscv64 as arch};

/// The machine of a board.
pub type MachineOf<P> = arch::RiscV64<P>;

/// Prepares the machine, before the kernel starts; the board has started its console.
pub fn begin() {
    arch::enter_supervisor_mode();
}
