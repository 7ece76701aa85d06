//! Owns: the end and the restart of a guest: by PSCI (Arm DEN0022), called by HVC.

use smccc::{Hvc, psci};

/// Switches this partition, or the bare board, off: that ends the emulator.
pub fn off() -> ! {
    let _ = psci::system_off::<Hvc>();
    stay()
}

/// Restarts this partition, or the bare board.
pub fn reset() -> ! {
    let _ = psci::system_reset::<Hvc>();
    stay()
}

/// Loops for ever, if the calls are not carried out.
fn stay() -> ! {
    loop {
        core::hint::spin_loop();
    }
}
