//! Owns: what opens an instance that is closed. Must never know: what is measured afterwards.

use super::{
    BenchBoard, Layout, Objects, REPETITIONS, SETTLE, alone, begin_on, end_of, expect, round,
};
use crate::mark::{begin, end};
use taktos_kernel::Timeout;

/// What is behind the layout's name from then on.
pub(super) const AGAIN: &str = "-again";

/// Opens the caller's instance by a wait of `far` for a cluster mutex that the caller owns, which
/// is at home there, too; it is closed when a cluster mutex with a ceiling is locked and unlocked,
/// many times, which is counted.
pub(super) fn open<S: BenchBoard>(objects: &'static Objects<S>, layout: &Layout) {
    round::<S>(format_args!("part=same layout={}{AGAIN}", layout.name));
    let inherits = &objects.cluster[1];
    expect(inherits.lock(Timeout::FOREVER));
    begin_on(objects, &objects.far, 0, waiter);
    S::busy(SETTLE);
    expect(inherits.unlock());
    end_of(&objects.far);
    alone(objects, opener);
}

fn waiter<S: BenchBoard>(objects: &'static Objects<S>) {
    let inherits = &objects.cluster[1];
    expect(inherits.lock(Timeout::FOREVER));
    expect(inherits.unlock());
}

#[inline(never)]
fn opener<S: BenchBoard>(objects: &'static Objects<S>) {
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
