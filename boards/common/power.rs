//! Owns: how a guest ends, and how it starts anew: by PSCI (Arm DEN0022), called by HVC.

use smccc::{Hvc, psci};

/// Switches this partition, or the bare board, off: that ends the emulator.
pub fn off() -> ! {
    let _ = psci::system_off::<Hvc>();
    stay()
}

/// Starts this partition, or the bare board, anew.
pub fn reset() -> ! {
    let _ = psci::system_reset::<Hvc>();
    stay()
}

/// What is left to do where nobody carries the calls out.
fn stay() -> ! {
    loop {
        core::hint::spin_loop();
    }
}
