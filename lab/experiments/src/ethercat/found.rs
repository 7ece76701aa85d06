//! Results of a run, as its console states them.
//!
//! Owns: the lines of the program and the name of each number. Must never know: cases.

use anyhow::Result;
use taktos_runner::failure::one_line;

use crate::console::{self, Line};
use crate::response::{Distribution, sets};

/// The program's own name of what it does.
const WORKLOAD: &str = "ethercat";
/// Prefix of the reason for which a controller ended.
const FAILED: &str = "failed: ";

/// The counts, by the line and the key that state them.
pub const NUMBERS: [(&str, &str); 16] = [
    ("bus", "devices"),
    ("bus", "wkc"),
    ("bus", "pre_op_ns"),
    ("bus", "op_ns"),
    ("cycles", "lost"),
    ("cycles", "wkc_errors"),
    ("cycles", "overruns"),
    ("cycles", "left_op"),
    ("segment", "late_answers"),
    ("segment", "latest_ns"),
    ("segment", "service_max_ns"),
    ("segment", "wire_ns"),
    ("segment", "sync0"),
    ("segment", "sync0_missed"),
    ("segment", "dc_max_ns"),
    ("segment", "watchdog"),
];

/// The measured times of each cycle: the lateness of the controller's thread after its release, the
/// exchange, and the parts of it: until the frame is given to the wire, on the wire, until the
/// thread has it, and until the inputs are in their places.
pub const SERIES: [&str; 6] = [
    "wake-late",
    "round-trip",
    "outbound",
    "wire",
    "wake",
    "inbound",
];

/// Results of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Those of [`SERIES`], in their order, in nanoseconds.
    series: Vec<Distribution>,
    /// Those of [`NUMBERS`], in their order.
    numbers: [u64; NUMBERS.len()],
}

/// Result on a console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// The segment came to OP, and cycles were counted.
    Found(Found),
    /// It did not, for this reason: that, too, is what a scheduler can do to a controller.
    NeverInOp(String),
}

impl Told {
    /// Reads the lines of the program.
    ///
    /// # Errors
    /// When one is missing or broken.
    pub fn read(console: &str) -> Result<Self> {
        let why = console.lines().find_map(|line| line.strip_prefix(FAILED));
        match why {
            Some(why) => Ok(Self::NeverInOp(one_line(why))),
            None => Found::read(console).map(Self::Found),
        }
    }
}

impl Found {
    fn read(console: &str) -> Result<Self> {
        let lines = console::lines(console)?;
        let mut sets = sets(console, WORKLOAD)?;
        let mut set = |name: &str| {
            let place = sets.iter().position(|set| set.name == name);
            let place = place.ok_or_else(|| console::missing("set"))?;
            Ok::<_, anyhow::Error>(sets.swap_remove(place).times)
        };
        let series = SERIES.map(&mut set).into_iter().collect::<Result<_>>()?;
        let mut numbers = [0; NUMBERS.len()];
        for (number, (kind, key)) in numbers.iter_mut().zip(NUMBERS) {
            *number = of_kind(&lines, kind)?.number(key)?;
        }
        Ok(Self { series, numbers })
    }

    /// The samples of a series by its name.
    pub fn series(&self, name: &str) -> &Distribution {
        let place = SERIES.iter().position(|known| *known == name);
        &self.series[place.unwrap_or(0)]
    }

    /// A number by its key.
    pub fn number(&self, key: &str) -> u64 {
        let place = NUMBERS.iter().position(|(_, known)| *known == key);
        place.map_or(0, |place| self.numbers[place])
    }
}

fn of_kind<'a>(lines: &'a [Line<'a>], kind: &str) -> Result<&'a Line<'a>> {
    let found = lines.iter().find(|line| line.kind == kind);
    found.ok_or_else(|| console::missing(kind))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::response::tests::{console, printed};

    /// A whole console.
    pub fn told(lost: u64, late: u64) -> String {
        let one = |name: &str| match name {
            "wake-late" => printed(name, (0, 0), &[(late, 9), (late + 8, 1)]),
            _ => printed(name, (0, 0), &[(22_000, 10)]),
        };
        let sets = SERIES.map(one);
        let lines = format!(
            "@bus devices=4 wkc=9 pre_op_ns=25000000 op_ns=31000000\r\n\
             @cycles counted=10 lost={lost} wkc_errors=0 overruns=0 left_op=0 strays=0 unsent=0\r\n\
             @segment frames=99 late_answers=0 latest_ns=0 service_max_ns=9000 wire_ns=15680 sync0=30 sync0_missed=1 \
             dc_max_ns=900 watchdog=0 in_op=4\r\n"
        );
        console(WORKLOAD, &[lines, sets.concat()])
    }

    #[test]
    fn the_lines_are_read() {
        let Told::Found(found) = Told::read(&told(2, 500)).unwrap() else {
            panic!("it came to OP");
        };
        let late = found.series("wake-late");
        assert_eq!((late.min(), late.max()), (500, 508));
        assert_eq!(found.series("inbound").samples(), 10);
        let of = |key| found.number(key);
        assert_eq!(
            (of("lost"), of("wire_ns"), of("sync0_missed")),
            (2, 15_680, 1)
        );
    }

    #[test]
    fn a_segment_that_never_comes_to_op_is_a_finding() {
        let console = "@run workload=ethercat\r\nfailed: Timeout(Eeprom)\r\n@end at_ns=7\r\n";
        let told = Told::read(console).unwrap();
        assert_eq!(told, Told::NeverInOp("Timeout(Eeprom)".into()));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (from, to, words) in [
            ("@cycles", "@cycle", "no line `@cycles`"),
            ("name=wake-late", "name=wake", "no line `@set`"),
            ("wkc=9", "wkc=x", "`wkc` is no whole number"),
            ("=ethercat", "=latency", "but `ethercat` was asked for"),
        ] {
            let error = Told::read(&told(0, 1).replacen(from, to, 1)).unwrap_err();
            assert!(error.to_string().contains(words), "{from}: {error}");
        }
    }
}
