//! Owns: the average of a load over a window.
//! Must never know: the unit or queue that has the load.

use super::Parameters;
use taktos_time::Instant;

/// Time is sampled in steps of 2¹⁰ ns.
const STEP_BITS: u32 = 10;

/// Returns the step that contains `now`.
pub(super) const fn step_of(now: Instant) -> u64 {
    now.as_nanos() >> STEP_BITS
}

/// The average after `load` units of load for `steps` steps: it moves by the
/// part steps/W of the way to the load, W being the window, and is there after
/// the whole window. The move is rounded towards zero.
pub(super) const fn averaged(average: i64, load: i64, steps: u64, parameters: &Parameters) -> i64 {
    let window = parameters.window_bits as u32 - STEP_BITS;
    let load = load << parameters.precision_bits;
    if steps >= 1 << window {
        return load;
    }
    average + (steps as i64 * (load - average)) / (1 << window)
}
