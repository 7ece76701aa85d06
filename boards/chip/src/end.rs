//! Owns: the end of a program on a chip. Must never know: the reason for it.

use taktos_boards::registers::Register;

/// The debugger's register of the processor: whether a debugger is there (Armv7-M manual, C1.6.2).
const DEBUGGER: Register = Register(0xE000_EDF0);
const IS_THERE: u32 = 1;

/// Ends the program: a debugger gets the status, by semihosting. Without one, nothing of the
/// program runs any more until the chip is reset.
pub(crate) fn exit(status: i32) -> ! {
    if cfg!(feature = "semihosting") || DEBUGGER.read() & IS_THERE != 0 {
        taktos_boards::exit::<crate::Board>(status)
    }
    taktos_arch_cortex_m::halt()
}
