//! Owns: the interrupts of devices by their numbers, as a program's test raises them: handlers, and
//! which wait to be let through. Must never know: what an interrupt is good for.

use std::collections::BTreeMap;

/// How many interrupts can have handlers.
pub const INTERRUPTS: u32 = 1024;

/// An interrupt that was named at least once.
#[derive(Default)]
struct Line {
    handler: Option<fn()>,
    pending: bool,
}

/// All of a world.
#[derive(Default)]
pub struct Lines(BTreeMap<u32, Line>);

impl Lines {
    /// Lets the interrupt `number` through to `handler`. Gives the handler if the interrupt waits
    /// for one.
    pub fn enable(&mut self, number: u32, handler: fn()) -> Option<fn()> {
        let line = self.0.entry(number).or_default();
        line.handler = Some(handler);
        std::mem::take(&mut line.pending).then_some(handler)
    }

    /// Keeps it from its handler.
    pub fn disable(&mut self, number: u32) {
        self.0.entry(number).or_default().handler = None;
    }

    /// Makes it pending. Gives the handler if it is let through.
    pub fn pend(&mut self, number: u32) -> Option<fn()> {
        let line = self.0.entry(number).or_default();
        line.pending = line.handler.is_none();
        line.handler
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn an_interrupt_waits_until_it_is_let_through_and_comes_once() {
        let mut lines = Lines::default();
        assert!(lines.pend(7).is_none());
        assert!(lines.enable(8, || ()).is_none());
        assert!(lines.enable(7, || ()).is_some());
        assert!(lines.enable(7, || ()).is_none());
        assert!(lines.pend(7).is_some());
        lines.disable(7);
        assert!(lines.pend(7).is_none());
        assert!(lines.enable(7, || ()).is_some());
    }
}
