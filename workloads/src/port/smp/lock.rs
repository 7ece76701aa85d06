//! Owns: whether a section keeps out the other processors.

use super::threads::{PROCESSORS, section};
use super::{SmpPort, check, on_each_processor};
use core::cell::Cell;

const ROUNDS: u64 = 2_000;

/// A number that only a section protects.
struct Guarded(Cell<u64>);

// SAFETY: touched in sections alone; that this suffices is what is tested.
unsafe impl Sync for Guarded {}

static COUNT: Guarded = Guarded(Cell::new(0));
static INSIDE: Guarded = Guarded(Cell::new(0));

/// Each processor adds to one number, in two steps with a delay in between.
pub fn keeps_others_out<P: SmpPort>() {
    on_each_processor::<P>(|_| {
        for _ in 0..ROUNDS {
            section::<P, _>(|| {
                let before = COUNT.0.get();
                INSIDE.0.set(INSIDE.0.get() + 1);
                check::<P>("one at a time", core::hint::black_box(&INSIDE).0.get() == 1);
                INSIDE.0.set(0);
                COUNT.0.set(core::hint::black_box(before) + 1);
            });
        }
    });
    let wanted = ROUNDS * PROCESSORS as u64;
    check::<P>(
        "nothing was lost",
        section::<P, _>(|| COUNT.0.get()) == wanted,
    );
    P::write("sections keep the others out\n");
}
