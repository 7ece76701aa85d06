//! Owns: what opens an instance that is closed. Must never know: what is measured afterwards.

use super::{BenchBoard, Layout, Objects, REPETITIONS, alone, expect, round};
use crate::mark::{begin, end};
use taktos_kernel::{Kernel, Timeout};

/// What is behind the layout's name from then on.
pub(super) const AGAIN: &str = "-again";

/// Opens the caller's instance by a look; it closes by a cluster mutex with a ceiling that is
/// locked and unlocked, many times, which is counted.
pub(super) fn open<S: BenchBoard>(objects: &'static Objects<S>, layout: &Layout) {
    round::<S>(format_args!("part=same layout={}{AGAIN}", layout.name));
    expect(Kernel::<S>::look(|_| ()));
    alone(objects, opener);
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
