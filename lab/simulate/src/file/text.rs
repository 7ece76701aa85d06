//! Owns: how people write times, lengths of execution and sets of processors.
//! Must never know: which file or option they stand in.

use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Duration;

use crate::Execution;

/// The longest time that can be written: 2⁶⁰ ns, about 36 years.
pub const LONGEST: Duration = Duration::from_nanos(1 << 60);

/// Units and their nanoseconds, the largest first.
const UNITS: [(&str, u64); 7] = [
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ns", 1),
];

/// A time with its unit: `100 ms`, `2.5us`, `1_000 ns`, `10s`, `1 min`.
///
/// # Errors
/// When it is no number with a unit, is finer than a nanosecond, or longer than [`LONGEST`].
pub fn duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let end = text
        .find(|letter: char| !(letter.is_ascii_digit() || matches!(letter, '.' | '_')))
        .unwrap_or(text.len());
    let (number, unit) = (&text[..end], text[end..].trim());
    if number.is_empty() {
        return Err(format!("`{text}` is no time, such as `100 ms`"));
    }
    let known = UNITS.into_iter().find(|(name, _)| *name == unit);
    match known {
        Some((_, nanos)) => scaled(number, nanos),
        None if unit.is_empty() => Err(format!(
            "`{text}` has no unit: write s, ms, us or ns behind it"
        )),
        None => Err(format!("`{unit}` is no unit of time: take s, ms, us or ns")),
    }
}

/// A decimal number of units, exactly.
pub(crate) fn scaled(number: &str, unit: u64) -> Result<Duration, String> {
    let digits: String = number.chars().filter(|letter| *letter != '_').collect();
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let figure = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !(figure(whole) && figure(fraction)) || (whole.is_empty() && fraction.is_empty()) {
        return Err(format!("`{number}` is no number"));
    }
    let too_long = || format!("`{number}` is too long: the longest time is 2^60 ns, 36 years");
    let whole = whole.trim_start_matches('0');
    let whole: u64 = match whole {
        "" => 0,
        digits => digits.parse().map_err(|_| too_long())?,
    };
    let (mut nanos, mut rest) = (whole.checked_mul(unit).ok_or_else(too_long)?, unit);
    for digit in fraction.trim_end_matches('0').bytes() {
        if !rest.is_multiple_of(10) {
            return Err(format!("`{number}` is finer than one nanosecond"));
        }
        rest /= 10;
        let part = u64::from(digit - b'0') * rest;
        nanos = nanos.checked_add(part).ok_or_else(too_long)?;
    }
    if nanos > LONGEST.as_nanos() {
        return Err(too_long());
    }
    Ok(Duration::from_nanos(nanos))
}

/// A number of processors in billionths of one: `0.75`, `3`.
///
/// # Errors
/// When it is no number, finer than a billionth, or absurdly large.
pub fn billionths(text: &str) -> Result<u64, String> {
    let number = scaled(text.trim(), 1_000_000_000).map_err(|_| {
        format!("`{text}` is no number of processors, such as 0.75, with at most nine decimals")
    })?;
    Ok(number.as_nanos())
}

/// The time as [`duration`] reads it, exactly, in the largest unit that it fills.
#[must_use]
pub fn shown(time: Duration) -> String {
    let nanos = time.as_nanos();
    let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];
    let Some((name, unit)) = units.into_iter().find(|(_, unit)| nanos >= *unit) else {
        return format!("{nanos} ns");
    };
    let width = unit.ilog10() as usize;
    let fraction = format!("{:0width$}", nanos % unit);
    match fraction.trim_end_matches('0') {
        "" => format!("{} {name}", nanos / unit),
        digits => format!("{}.{digits} {name}", nanos / unit),
    }
}

/// A length of execution: `2 ms`, a range `1 ms..3 ms`, or values of which each
/// job draws one, `1 ms | 2 ms | 5 ms`.
///
/// # Errors
/// When it is none of these, or the range is reversed.
pub fn execution(text: &str) -> Result<Execution, String> {
    if let Some((min, max)) = text.split_once("..") {
        let (min, max) = (duration(min)?, duration(max)?);
        if min > max {
            return Err(format!("the range `{}` is reversed", text.trim()));
        }
        return Ok(Execution::Uniform { min, max });
    }
    if text.contains('|') {
        let samples = text.split('|').map(duration).collect::<Result<_, _>>()?;
        return Ok(Execution::Samples(samples));
    }
    duration(text).map(Execution::Fixed)
}

/// The execution as [`fn@execution`] reads it.
#[must_use]
pub fn shown_execution(execution: &Execution) -> String {
    match execution {
        Execution::Fixed(time) => shown(*time),
        Execution::Uniform { min, max } => format!("{}..{}", shown(*min), shown(*max)),
        Execution::Samples(samples) => {
            // One sample needs a bar too, or it would be read as a fixed time.
            let mut samples: Vec<String> = samples.iter().map(|time| shown(*time)).collect();
            if samples.len() == 1 {
                samples.push(samples[0].clone());
            }
            samples.join(" | ")
        }
    }
}

/// A set of processors: numbers and ranges, `0-3,5`; also with `+` between them.
///
/// # Errors
/// When it is none, a number is above 63, or a range is reversed.
pub fn cpus(text: &str) -> Result<CpuSet, String> {
    let mut set = CpuSet::EMPTY;
    for part in text.split([',', '+']) {
        let (first, last) = match part.split_once('-') {
            Some((first, last)) => (cpu(first)?, cpu(last)?),
            None => (cpu(part)?, cpu(part)?),
        };
        if first > last {
            return Err(format!(
                "the range of processors `{}` is reversed",
                part.trim()
            ));
        }
        set = (first..=last).filter_map(Cpu::new).fold(set, CpuSet::with);
    }
    Ok(set)
}

fn cpu(text: &str) -> Result<usize, String> {
    let text = text.trim();
    let number = text.parse::<usize>();
    match number {
        Ok(number) if number < Cpu::COUNT && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Ok(number)
        }
        _ => Err(format!(
            "`{text}` is no processor: they are numbered 0 to {}",
            Cpu::COUNT - 1
        )),
    }
}

/// The set as [`cpus`] reads it.
#[must_use]
pub fn shown_cpus(set: CpuSet) -> String {
    let numbers: Vec<usize> = set.into_iter().map(Cpu::index).collect();
    let ranges = numbers.chunk_by(|left, right| left + 1 == *right);
    let range = |range: &[usize]| match range {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    };
    ranges.map(range).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_exactly() {
        for (text, nanos) in [
            ("100 ms", 100_000_000),
            ("250us", 250_000),
            (" 1.5 s ", 1_500_000_000),
            ("0.000000001 s", 1),
            ("1_000 ns", 1000),
            ("2 µs", 2000),
            ("0 ms", 0),
            ("007 ns", 7),
            (".5 us", 500),
            ("1 min", 60_000_000_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_told() {
        for (text, words) in [
            ("100", "no unit"),
            ("100 sec", "`sec` is no unit"),
            ("ms", "no time"),
            ("-1 ms", "no time"),
            ("1.2.3 ms", "no number"),
            ("0.5 ns", "finer than one nanosecond"),
            ("99999999999999999999 s", "too long"),
            ("40000000000 s", "too long"),
            ("1153 Ms", "`Ms` is no unit"),
            ("", "no time"),
        ] {
            let error = duration(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for nanos in [0, 1, 999, 1000, 1500, 43_929_496, 10_000_000_000, 1 << 60] {
            let time = Duration::from_nanos(nanos);
            assert_eq!(duration(&shown(time)), Ok(time), "{}", shown(time));
        }
        assert_eq!(shown(Duration::from_nanos(1_500_000)), "1.5 ms");
    }

    #[test]
    fn utilisations_are_read_exactly() {
        assert_eq!(billionths("0.75"), Ok(750_000_000));
        assert_eq!(billionths("3"), Ok(3_000_000_000));
        for text in ["", "x", "-1", "0.1234567891", "1e3", "99999999999"] {
            assert!(billionths(text).is_err(), "{text}");
        }
    }

    #[test]
    fn executions_are_read() {
        let ms = Duration::from_millis;
        assert_eq!(execution("2 ms"), Ok(Execution::Fixed(ms(2))));
        let range = Execution::Uniform {
            min: ms(1),
            max: ms(3),
        };
        assert_eq!(execution("1 ms .. 3 ms"), Ok(range));
        let samples = Execution::Samples(vec![ms(1), ms(5)]);
        assert_eq!(execution("1ms|5ms"), Ok(samples));
        assert!(execution("3 ms..1 ms").unwrap_err().contains("reversed"));
        assert!(execution("1 ms |").is_err());
    }

    #[test]
    fn sets_of_processors_are_read_and_shown() {
        assert_eq!(cpus("0-1,3").unwrap().bits(), 0b1011);
        assert_eq!(cpus("0+2").unwrap().bits(), 0b101);
        assert_eq!(shown_cpus(cpus("63,5,0-2").unwrap()), "0-2,5,63");
        for text in [
            "",
            "64",
            "3-1",
            "a",
            "-1",
            "+1,",
            "0-",
            "99999999999999999999",
        ] {
            assert!(cpus(text).is_err(), "{text}");
        }
    }
}
