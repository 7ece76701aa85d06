//! The probe that must pass before any figure is taken from several processors.
//!
//! Owns: the meaning of the probe's console. Must never know: the start of the emulator.

/// Findings of the probe.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Probe {
    /// Turns of the loop that each processor counted in the same span: with 1, 2 and 4 of them
    /// busy.
    pub turns: Vec<Vec<u64>>,
    /// Ticks by which each halted processor's timer came late.
    pub late_timers: Vec<u64>,
    /// Ticks between a call to a halted processor and its wake-up.
    pub late_call: u64,
    /// The tick at which the probe ended.
    pub end: u64,
}

impl Probe {
    pub(crate) fn read(console: &str) -> Option<Self> {
        let mut probe = Self::default();
        for line in console.lines() {
            let (kind, values) = line.split_once(' ')?;
            let mut values = values.split(' ').map(|pair| {
                let (_, value) = pair.split_once('=')?;
                value.parse::<u64>().ok()
            });
            match kind {
                "@busy" => {
                    values.next()??;
                    probe.turns.push(values.collect::<Option<_>>()?);
                }
                "@timers" => probe.late_timers = values.collect::<Option<_>>()?,
                "@call" => probe.late_call = values.next()??,
                "@end" => probe.end = values.next()??,
                _ => return None,
            }
        }
        (probe.end > 0).then_some(probe)
    }

    /// Checks whether the emulated clocks are consistent.
    ///
    /// # Errors
    /// Names the first sign that it is not.
    pub fn verdict(&self) -> Result<(), String> {
        let widths: Vec<usize> = self.turns.iter().map(Vec::len).collect();
        if widths != [1, 2, 4] || self.late_timers.len() != 4 {
            return Err(format!("the probe did not run to its end: {self:?}"));
        }
        let alone = self.turns[0][0];
        if alone == 0 || self.turns.iter().flatten().any(|turns| *turns != alone) {
            return Err(format!(
                "processors of one speed counted differently: {:?}",
                self.turns
            ));
        }
        if self.late_timers.iter().any(|late| *late > 1) {
            return Err(format!(
                "timers of halted processors were late, in ticks: {:?}",
                self.late_timers
            ));
        }
        if self.late_call > 2 {
            return Err(format!(
                "a halted processor woke {} ticks after it was called",
                self.late_call
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of the emulator with `-icount` in the place of the clock, shortened.
    const DISHONEST: &str = "@busy processors=1 turns0=199999\n\
        @busy processors=2 turns0=0 turns1=199999\n\
        @busy processors=4 turns0=0 turns1=199999 turns2=0 turns3=0\n\
        @timers late0=0 late1=250 late2=0 late3=0\n@call late=15\n@end at=1778572\n";

    #[test]
    fn inconsistent_time_is_found_out() {
        let mut probe = Probe::read(DISHONEST).unwrap();
        assert!(probe.verdict().unwrap_err().contains("counted differently"));
        probe.turns = vec![vec![7], vec![7; 2], vec![7; 4]];
        assert!(probe.verdict().unwrap_err().contains("were late"));
        probe.late_timers = vec![0; 4];
        assert!(probe.verdict().unwrap_err().contains("15 ticks"));
        probe.late_call = 1;
        assert_eq!(probe.verdict(), Ok(()));
    }

    #[test]
    fn another_console_is_no_probe() {
        for console in [
            "",
            "hello\n",
            "@busy processors=1 turns0=x\n",
            "@call late=\n",
        ] {
            assert_eq!(Probe::read(console), None, "{console:?}");
        }
    }
}
