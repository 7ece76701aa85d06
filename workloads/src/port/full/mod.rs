//! Full registers: work that fills them and checks whether they stay, in instructions of the
//! architecture.
//!
//! Owns: the work, and the state that a thread has in addition to its registers.
//! Must never know: the threads that do it, or what happens meanwhile.
#![expect(unsafe_code, reason = "fills registers and looks at them again")]

#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(target_arch = "arm", path = "armv7_a.rs")]
#[cfg_attr(target_arch = "riscv64", path = "riscv64.rs")]
mod architecture;

pub use architecture::{
    float_is_clear, is_as_it_should, mask, spin_with_float, spin_with_registers, yield_with_float,
    yield_with_registers,
};

/// Function that is called with full registers.
pub trait GiveWay {
    /// Lets others run, and comes back.
    extern "C" fn give_way();
}
