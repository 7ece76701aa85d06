//! Owns: what makes an instance lend seats, and end that. Must never know: what is measured
//! afterwards.

use super::{
    BenchBoard, Layout, Objects, REPETITIONS, SETTLE, alone, begin_on, end_of, expect, round,
};
use crate::mark::{begin, end};
use taktos_kernel::Timeout;

/// Suffix of the layout's name from then on.
pub(super) const AGAIN: &str = "-again";

/// Makes the caller's instance lend its seats for a while, by a wait of `far` for a cluster mutex
/// that the caller owns; the home of `far` is that instance. Then a cluster mutex with a ceiling is
/// locked and unlocked, many times, which is counted.
pub(super) fn lend<S: BenchBoard>(objects: &'static Objects<S>, layout: &Layout) {
    round::<S>(format_args!("part=same layout={}{AGAIN}", layout.name));
    let inherits = &objects.cluster[1];
    expect(inherits.lock(Timeout::FOREVER));
    begin_on(objects, &objects.far, 0, waiter);
    S::busy(SETTLE);
    expect(inherits.unlock());
    end_of(&objects.far);
    alone(objects, lock_and_unlock);
}

fn waiter<S: BenchBoard>(objects: &'static Objects<S>) {
    let inherits = &objects.cluster[1];
    expect(inherits.lock(Timeout::FOREVER));
    expect(inherits.unlock());
}

#[inline(never)]
fn lock_and_unlock<S: BenchBoard>(objects: &'static Objects<S>) {
    let ceiling = &objects.cluster[4];
    for _ in 0..REPETITIONS {
        begin!("ceiling-lock-unlock");
        let locked = ceiling.lock(Timeout::FOREVER);
        let unlocked = ceiling.unlock();
        end!("ceiling-lock-unlock");
        expect(locked);
        expect(unlocked);
    }
}
