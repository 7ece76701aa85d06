//! Owns: links of threads in a vector, as a simulator keeps them, for the tests of rings.
//! Must never know: which rings there are.

use std::cell::Cell;
use taktos_schedule::Links;

/// For each thread the next one and the one before it; at first each is alone.
pub struct Chains(Vec<(Cell<usize>, Cell<usize>)>);

impl Chains {
    pub fn new(threads: usize) -> Self {
        let alone = |id| (Cell::new(id), Cell::new(id));
        Self((0..threads).map(alone).collect())
    }
}

impl Links for Chains {
    type Id = usize;
    fn next(&self, id: usize) -> usize {
        self.0[id].0.get()
    }
    fn previous(&self, id: usize) -> usize {
        self.0[id].1.get()
    }
    fn set_next(&self, id: usize, next: usize) {
        self.0[id].0.set(next);
    }
    fn set_previous(&self, id: usize, previous: usize) {
        self.0[id].1.set(previous);
    }
}
