//! Owns: schedules of one processor as turns, and where two of them part.
//! Must never know: where a schedule comes from.

use std::fmt::Write;

/// From `at` on, in nanoseconds, the guest with this number has the processor, or no guest has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    pub at: u64,
    pub whose: Option<usize>,
}

/// How far two schedules that agree are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Turns that both have.
    pub turns: usize,
    /// The most nanoseconds between the beginnings of a turn in the one and in the other.
    pub apart: u64,
}

/// Whether `recorded`, which ends at `end`, has the turns of `simulated` in the same order, each
/// begun within `tolerance` nanoseconds. So near the end only one of them may have one more.
///
/// # Errors
/// Words about the first turn that differs.
pub fn compare(
    simulated: &[Turn],
    recorded: &[Turn],
    tolerance: u64,
    end: u64,
) -> Result<Agreement, String> {
    let mut apart = 0;
    for (number, (expected, found)) in simulated.iter().zip(recorded).enumerate() {
        let far = expected.at.abs_diff(found.at);
        if expected.whose != found.whose || far > tolerance {
            return Err(difference(number, simulated, recorded));
        }
        apart = apart.max(far);
    }
    let turns = simulated.len().min(recorded.len());
    let more = simulated.get(turns).or(recorded.get(turns));
    match more.is_none_or(|turn| turn.at + tolerance >= end) {
        true => Ok(Agreement { turns, apart }),
        false => Err(difference(turns, simulated, recorded)),
    }
}

/// The turns around that `number`, side by side.
fn difference(number: usize, simulated: &[Turn], recorded: &[Turn]) -> String {
    let mut words = format!("turn {number} differs:");
    for number in number.saturating_sub(2)..=number + 1 {
        let one = |turns: &[Turn]| match turns.get(number) {
            Some(turn) => shown(*turn),
            None => "no turn".to_owned(),
        };
        // Writing to a String cannot fail.
        let _ = write!(
            words,
            "\n  turn {number}: simulated {}, in the emulator {}",
            one(simulated),
            one(recorded)
        );
    }
    words
}

fn shown(turn: Turn) -> String {
    match turn.whose {
        Some(guest) => format!("guest {guest} from {} ns", turn.at),
        None => format!("nobody from {} ns", turn.at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(all: &[(u64, Option<usize>)]) -> Vec<Turn> {
        all.iter().map(|&(at, whose)| Turn { at, whose }).collect()
    }

    #[test]
    fn equal_order_and_near_times_agree() {
        let simulated = turns(&[(0, Some(0)), (500, None), (1_000, Some(1))]);
        let recorded = turns(&[(0, Some(0)), (507, None), (990, Some(1))]);
        let agreement = Agreement {
            turns: 3,
            apart: 10,
        };
        assert_eq!(compare(&simulated, &recorded, 10, 2_000), Ok(agreement));
    }

    #[test]
    fn a_turn_too_far_away_differs() {
        let simulated = turns(&[(0, Some(0)), (500, None), (1_000, Some(1))]);
        let recorded = turns(&[(0, Some(0)), (507, None), (1_011, Some(1))]);
        let words = compare(&simulated, &recorded, 10, 2_000).unwrap_err();
        assert!(words.starts_with("turn 2 differs:"), "{words}");
        assert!(
            words.contains("simulated guest 1 from 1000 ns, in the emulator guest 1 from 1011 ns"),
            "{words}"
        );
    }

    #[test]
    fn another_guest_at_the_same_time_differs() {
        let simulated = turns(&[(0, Some(0)), (500, None)]);
        let recorded = turns(&[(0, Some(0)), (500, Some(1))]);
        let words = compare(&simulated, &recorded, 10, 2_000).unwrap_err();
        assert!(words.starts_with("turn 1 differs:"), "{words}");
    }

    #[test]
    fn a_turn_more_differs() {
        let simulated = turns(&[(0, Some(0))]);
        let recorded = turns(&[(0, Some(0)), (500, None)]);
        for (one, other) in [(&simulated, &recorded), (&recorded, &simulated)] {
            let words = compare(one, other, 10, 2_000).unwrap_err();
            assert!(words.starts_with("turn 1 differs:"), "{words}");
            assert!(words.contains("no turn"), "{words}");
            assert!(compare(one, other, 10, 505).is_ok(), "so near the end");
        }
    }
}
