//! Full registers: work that fills them and looks whether they stay, in instructions of the architecture.
//!
//! Owns: the work, and what a thread's state is beside its registers.
//! Must never know: who does it, or what happens meanwhile.
#![expect(unsafe_code, reason = "fills registers and looks at them again")]

#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(target_arch = "arm", path = "armv7_a.rs")]
#[cfg_attr(target_arch = "riscv64", path = "riscv64.rs")]
mod architecture;

pub use architecture::{
    float_is_clear, is_as_it_should, mask, spin_with_float, spin_with_registers, yield_with_float,
    yield_with_registers,
};

/// What is called with full registers.
pub trait GiveWay {
    /// Lets others run, and comes back.
    extern "C" fn give_way();
}
