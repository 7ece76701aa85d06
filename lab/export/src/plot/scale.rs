//! From values to places on an axis, and the values that deserve a tick.

use crate::table::thousands;

/// How an axis is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally far apart; begins at zero.
    Linear,
    /// Equal ratios are equally far apart. Where there is a zero, or what is drawn begins at it, it
    /// has a place of its own, as far below the least decade as that is high. No value below
    /// zero has a place.
    Log,
    /// Every value that occurs has its own place, all equally far apart.
    Steps,
}

/// The least and the greatest magnitude that an axis shows: between them no step of the
/// arithmetic leaves the range of numbers.
const RANGE: core::ops::RangeInclusive<f64> = 1e-300..=1e300;

fn has_place(value: f64) -> bool {
    value == 0.0 || RANGE.contains(&value)
}

/// The most decades that have a label each.
const MOST_DECADES: i32 = 12;

/// A scale fitted to its values: places are in 0..=1.
pub(super) enum Fitted {
    Linear { top: f64, step: f64 },
    Log { low: i32, high: i32, zero: bool },
    Steps { values: Vec<f64> },
}

impl Scale {
    /// Fits the scale to the values that will be placed on it; `from_zero`: what is drawn begins at
    /// zero.
    pub(super) fn fit(self, values: impl Iterator<Item = f64>, from_zero: bool) -> Fitted {
        let mut values: Vec<f64> = values.filter(|value| has_place(*value)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let zero = from_zero || values.contains(&0.0);
        let most = values.last().copied().unwrap_or(1.0);
        match self {
            Self::Linear => {
                let step = round_step(most / 5.0);
                Fitted::Linear {
                    top: (most / step).ceil().max(1.0) * step,
                    step,
                }
            }
            Self::Log => {
                let least = values
                    .iter()
                    .copied()
                    .find(|value| *value > 0.0)
                    .unwrap_or(1.0);
                let low = exponent(least.log10().floor());
                let high = exponent(most.max(least).log10().ceil()).max(low + 1);
                Fitted::Log { low, high, zero }
            }
            Self::Steps => Fitted::Steps { values },
        }
    }
}

/// A whole power of ten; the values of a plot are far inside the range.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a rounded logarithm is a small integer"
)]
fn exponent(logarithm: f64) -> i32 {
    logarithm as i32
}

/// The next of 1, 2, 5, 10, 20, ... at or above the value.
fn round_step(value: f64) -> f64 {
    let decade = 10_f64.powf(value.max(1e-12).log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().map(|digit| digit * decade);
    step.into_iter()
        .find(|step| *step >= value * (1.0 - 1e-9))
        .unwrap_or(10.0 * decade)
}

impl Fitted {
    /// The place of a value, or nothing where the axis cannot show it.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        if !has_place(value) {
            return None;
        }
        match self {
            Self::Linear { top, .. } => Some(value / top),
            Self::Log { low, high, zero } => {
                let (base, decades) = (low - i32::from(*zero), high - low + i32::from(*zero));
                match value {
                    0.0 if *zero => Some(0.0),
                    _ if value > 0.0 => {
                        Some((value.log10() - f64::from(base)) / f64::from(decades))
                    }
                    _ => None,
                }
            }
            Self::Steps { values } => {
                let index = values.iter().position(|step| *step == value)?;
                // A margin of half a step at both ends.
                Some((index as f64 + 0.5) / values.len() as f64)
            }
        }
    }

    /// The values that get a tick and a label.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        match self {
            Self::Linear { top, step } => {
                let count = exponent((top / step).round());
                let values = (0..=count).map(|index| f64::from(index) * step);
                values.map(|value| (value, label(value))).collect()
            }
            Self::Log { low, high, zero } => {
                // Of many decades one in `every` has a tick, so that the labels have space.
                let every = (high - low).div_euclid(MOST_DECADES) + 1;
                let powers = (*low..=*high).filter(|power| (power - low) % every == 0);
                let values = powers.map(|power| 10_f64.powi(power));
                let values = zero.then_some(0.0).into_iter().chain(values);
                let mut ticks: Vec<_> = values.map(|value| (value, label(value))).collect();
                // Few decades leave space for labels between them.
                if high - low <= 2 {
                    for power in *low..*high {
                        for digit in [2.0, 5.0] {
                            let value = digit * 10_f64.powi(power);
                            ticks.push((value, label(value)));
                        }
                    }
                }
                ticks
            }
            Self::Steps { values } => values.iter().map(|value| (*value, label(*value))).collect(),
        }
    }
}

/// Returns the unit for a time of this many nanoseconds, and how many nanoseconds it has.
pub(super) const fn time_unit(nanoseconds: u64) -> (u64, &'static str) {
    match nanoseconds {
        0..10_000 => (1, "ns"),
        10_000..10_000_000 => (1_000, "µs"),
        10_000_000..10_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    }
}

/// The values that are written out: those of a count.
const WHOLE: core::ops::Range<f64> = 1.0..18_446_744_073_709_551_616.0;

/// A value in words: whole numbers with separated thousands, small and vast ones as a
/// power of ten.
pub(super) fn label(value: f64) -> String {
    if value == 0.0 || WHOLE.contains(&value) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a label"
        )]
        return if value.fract() == 0.0 {
            thousands(value as u64)
        } else {
            let digits = format!("{value:.3}");
            digits
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_owned()
        };
    }
    let power = exponent(value.log10().floor());
    let digit = (value / 10_f64.powi(power)).round();
    let sign = if power < 0 { "⁻" } else { "" };
    let power: String = power
        .unsigned_abs()
        .to_string()
        .chars()
        .map(raised)
        .collect();
    if digit == 1.0 {
        format!("10{sign}{power}")
    } else {
        format!("{digit}·10{sign}{power}")
    }
}

fn raised(digit: char) -> char {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    digit
        .to_digit(10)
        .map_or(digit, |digit| RAISED[digit as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, values: &[f64]) -> Vec<String> {
        scale
            .fit(values.iter().copied(), false)
            .ticks()
            .into_iter()
            .map(|(_, label)| label)
            .collect()
    }

    #[test]
    fn linear_ticks_are_round_and_reach_the_top() {
        assert_eq!(
            labels(Scale::Linear, &[3.0, 93.0]),
            ["0", "20", "40", "60", "80", "100"]
        );
        assert_eq!(labels(Scale::Linear, &[0.0]), ["0", "10⁻¹²"]);
    }

    #[test]
    fn log_ticks_are_decades() {
        let decades = ["10", "100", "1,000", "10,000", "100,000", "1,000,000"];
        assert_eq!(labels(Scale::Log, &[80.0, 533_961.0]), decades);
        assert_eq!(
            labels(Scale::Log, &[0.001, 1.0]),
            ["10⁻³", "10⁻²", "10⁻¹", "1"]
        );
    }

    #[test]
    fn steps_are_evenly_placed() {
        let fitted = Scale::Steps.fit([0.0, 10.0, 1000.0, 10.0].into_iter(), false);
        let places: Vec<_> = [0.0, 10.0, 1000.0]
            .map(|value| fitted.place(value).unwrap())
            .into();
        assert!((places[1] - places[0] - (places[2] - places[1])).abs() < 1e-9);
        assert_eq!(fitted.place(7.0), None);
    }

    #[test]
    fn a_logarithm_has_a_place_for_zero_where_it_is_needed() {
        let values = || [1.0, 10.0].into_iter();
        assert_eq!(Scale::Log.fit(values(), false).place(0.0), None);
        let with_zero = Scale::Log.fit(values(), true);
        let places = [0.0, 1.0, 10.0].map(|value| with_zero.place(value).unwrap());
        assert_eq!(places, [0.0, 0.5, 1.0]);
        assert_eq!(with_zero.place(-1.0), None);
        assert_eq!(
            labels(Scale::Log, &[0.0, 1.0, 1000.0]),
            ["0", "1", "10", "100", "1,000"]
        );
    }

    #[test]
    fn many_decades_do_not_crowd_the_axis() {
        assert!(labels(Scale::Log, &[1e-300, 1e300]).len() <= 14);
    }

    #[test]
    fn the_ends_of_a_log_axis_are_zero_and_one() {
        let fitted = Scale::Log.fit([10.0, 1000.0].into_iter(), false);
        assert!(fitted.place(10.0).unwrap().abs() < 1e-9);
        assert!((fitted.place(1000.0).unwrap() - 1.0).abs() < 1e-9);
    }
}
