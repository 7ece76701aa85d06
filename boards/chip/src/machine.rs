//! Owns: the machine that the project's own programs run on, as `machines.txt` has it. Must never
//! know: the programs.

#![expect(unsafe_code, reason = "a function by its symbol")]

/// The rate of the processor, in hertz.
pub(crate) const HERTZ: u32 = match u32::from_str_radix(env!("TAKTOS_HERTZ"), 10) {
    Ok(hertz) => hertz,
    Err(_) => panic!("the rate of a machine is a number"),
};

/// Conditions of the board's own counts: the processor's rate; other conditions; and the function
/// that switches its caches.
#[cfg(feature = "counted")]
pub(crate) const COUNTED: (u32, &str, Option<fn(bool)>) = (HERTZ, "clock=as-emulated", None);

/// The emulator's processor has its rate from the start.
#[unsafe(no_mangle)]
fn taktos_chip_clock() -> u32 {
    HERTZ
}
