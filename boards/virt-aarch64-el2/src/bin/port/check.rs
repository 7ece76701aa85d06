//! Owns: the report of each check, and the end of the test. Must never know: the checks.

use taktos_arch_aarch64_el2::El2;
use taktos_hypervisor::hardware::Hardware;

/// Reports that `what` holds; or that it does not, and ends the machine.
pub(crate) fn check(what: &str, holds: bool) {
    El2::lock();
    El2::write(if holds { b"ok " } else { b"failed: " });
    El2::write(what.as_bytes());
    El2::write(b"\n");
    if !holds {
        El2::off();
    }
    El2::unlock();
}

/// Ends the test after all checks passed.
pub(crate) fn passed() -> ! {
    El2::write(b"all passed\n");
    El2::off()
}
