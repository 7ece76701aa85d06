//! Owns: running a world in all orders that change processors often enough to matter.
//! Must never know: what runs.
//!
//! An order is a path in a tree: at each fork one of the steps that can be next. The tree is walked
//! depth first. All orders are too many for all but the smallest programs. So an order may do this
//! only a limited number of times: take away the turn of a processor that could continue, or make a
//! call arrive meanwhile. See Musuvathi and Qadeer, "Iterative context bounding for systematic
//! testing of multithreaded programs", PLDI 2007: most faults need very few. If the last processor
//! cannot continue, each choice is free.

use crate::several::order::{Order, Step};
use std::cell::RefCell;
use std::rc::Rc;

/// A place where several steps were possible.
struct Fork {
    chosen: usize,
    /// How many there are to choose from; the step that costs nothing comes first.
    choices: usize,
}

struct Walk {
    path: Vec<Fork>,
    /// How many forks of the path the present run has passed.
    passed: usize,
    last: Option<usize>,
    /// How many changes the present run may still make.
    left: usize,
}

impl Walk {
    fn choose(&mut self, steps: &[Step]) -> usize {
        let usual = self
            .last
            .and_then(|last| steps.iter().position(|step| *step == Step::Goes(last)));
        let choices = if usual.is_some() && self.left == 0 {
            1
        } else {
            steps.len()
        };
        if self.passed == self.path.len() {
            self.path.push(Fork { chosen: 0, choices });
        }
        let fork = &self.path[self.passed];
        assert_eq!(
            fork.choices, choices,
            "the same order has led to another place: the program under test is not deterministic"
        );
        let chosen = fork.chosen;
        self.passed += 1;
        let place = in_order_of_cost(chosen, usual);
        if usual.is_some_and(|usual| usual != place) {
            self.left -= 1;
        }
        if let Step::Goes(processor) = steps[place] {
            self.last = Some(processor);
        }
        place
    }

    /// Turns to the next path; no if there is none.
    fn next_path(&mut self) -> bool {
        while let Some(fork) = self.path.last_mut() {
            fork.chosen += 1;
            if fork.chosen < fork.choices {
                return true;
            }
            self.path.pop();
        }
        false
    }
}

/// The place of the choice `number`, where the usual one is number 0 and the others keep their
/// order.
fn in_order_of_cost(number: usize, usual: Option<usize>) -> usize {
    match usual {
        None => number,
        Some(usual) if number == 0 => usual,
        Some(usual) if number <= usual => number - 1,
        Some(_) => number,
    }
}

/// Calls `run` with one order after the other, until all that make at most `changes` changes have
/// been, or `most` of them. Says how many there were, and whether that was all. `run` runs one
/// world, always the same one, in the order that it is given.
///
/// # Panics
/// If the same order leads to another place.
pub fn each_order(changes: usize, most: u64, mut run: impl FnMut(Order)) -> (u64, bool) {
    let walk = Rc::new(RefCell::new(Walk {
        path: Vec::new(),
        passed: 0,
        last: None,
        left: changes,
    }));
    let mut runs = 0;
    loop {
        let chooser = walk.clone();
        run(Order::Chosen(Box::new(move |steps| {
            chooser.borrow_mut().choose(steps)
        })));
        runs += 1;
        let walk = &mut *walk.borrow_mut();
        walk.path.truncate(walk.passed);
        walk.passed = 0;
        walk.last = None;
        walk.left = changes;
        if !walk.next_path() {
            return (runs, true);
        }
        if runs == most {
            return (runs, false);
        }
    }
}
