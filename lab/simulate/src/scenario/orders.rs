//! Every order of the steps that happen together.
//!
//! Owns: which orders have been tried.
//! Must never know: the effects of the steps.

use super::script::Step;

/// Depth-first through all choices: a run repeats the choices of the one before up to the last one
/// that can be made otherwise.
#[derive(Clone, Debug, Default)]
pub(super) struct Orders {
    /// Each choice of this run: what was chosen, and among how many.
    choices: Vec<(usize, usize)>,
    /// How many of them have been made in this run.
    made: usize,
    /// The lines taken, in their order.
    taken: Vec<String>,
}

impl Orders {
    /// The next choice, among `count`.
    pub fn choose(&mut self, count: usize) -> usize {
        if self.made == self.choices.len() {
            self.choices.push((0, count));
        }
        self.made += 1;
        self.choices[self.made - 1].0
    }

    /// Takes note of a step, for messages.
    pub fn took(&mut self, step: &Step) {
        self.taken.push(step.text.clone());
    }

    /// Whether there is another order; the next run takes it.
    pub fn next(&mut self) -> bool {
        self.made = 0;
        self.taken.clear();
        while let Some((chosen, count)) = self.choices.pop() {
            if chosen + 1 < count {
                self.choices.push((chosen + 1, count));
                return true;
            }
        }
        false
    }

    /// The lines in the order of this run.
    pub fn shown(&self) -> String {
        self.taken.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_tried_once() {
        let mut orders = Orders::default();
        let mut seen = std::collections::BTreeSet::new();
        loop {
            let mut rest = vec!["ab", "c", "de"];
            let mut order = String::new();
            while !rest.is_empty() {
                let chosen = orders.choose(rest.len());
                order.push_str(&rest[chosen][..1]);
                rest[chosen] = &rest[chosen][1..];
                rest.retain(|list| !list.is_empty());
            }
            assert!(seen.insert(order));
            if !orders.next() {
                break;
            }
        }
        // 5! / (2! 1! 2!)
        assert_eq!(seen.len(), 30);
    }
}
