//! Owns: the jobs of a Linux guest, and their form: words of the kernel's command line, which the
//! script in the initial RAM file system reads.
//! Must never know: the machine under it. Every system that is compared receives the same words.

use serde::{Deserialize, Serialize};

/// Job of the guest until it switches itself off.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Job {
    /// A shell on the console.
    #[default]
    Shell,
    /// cyclictest, then off.
    Cyclictest(Test),
    /// cyclictest in addition to as many endless loops of normal priority as there are processors.
    BusyCyclictest(Test),
    /// Endless loops, one a processor; off after these seconds of its own time, or never.
    Busy {
        /// Seconds.
        seconds: Option<u32>,
    },
    /// Every byte that comes by the second PL011 (`/dev/ttyAMA1`) is sent back; off after this
    /// number of bytes, or never.
    Channel {
        /// Bytes.
        bytes: Option<u32>,
    },
}

/// How cyclictest measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Test {
    /// Wake-ups of each thread.
    pub loops: u32,
    /// From one wake-up to the next, in microseconds.
    pub interval: u32,
    /// Distance of the wake-ups from a full interval of the guest's clock, in microseconds.
    pub phase: u32,
    /// How many threads, one a processor from the first; all processors if none.
    pub threads: Option<u32>,
}

impl Default for Test {
    /// 100,000 wake-ups, 1 ms apart, on all processors.
    fn default() -> Self {
        Self {
            loops: 100_000,
            interval: 1000,
            phase: 0,
            threads: None,
        }
    }
}

/// Arguments of every guest and of native Linux, for any job. Console on the first PL011; no
/// messages but errors; no random placement of code and stacks, which would make equal runs differ.
const ALWAYS: &str = "console=ttyAMA0 quiet nokaslr randomize_kstack_offset=off";

/// The kernel's command line for a job.
#[must_use]
pub fn command_line(job: &Job) -> String {
    let mut words = format!("{ALWAYS} taktos.job={}", name(job));
    let mut add = |word: &str, value: u32| words.push_str(&format!(" taktos.{word}={value}"));
    match job {
        Job::Shell => {}
        Job::Cyclictest(test) | Job::BusyCyclictest(test) => {
            add("loops", test.loops);
            add("interval", test.interval);
            add("phase", test.phase);
            if let Some(threads) = test.threads {
                add("threads", threads);
            }
        }
        Job::Busy { seconds } => {
            if let Some(seconds) = seconds {
                add("seconds", *seconds);
            }
        }
        Job::Channel { bytes } => {
            if let Some(bytes) = bytes {
                add("bytes", *bytes);
            }
        }
    }
    words
}

/// The word by which the script knows the job.
const fn name(job: &Job) -> &'static str {
    match job {
        Job::Shell => "shell",
        Job::Cyclictest(_) => "cyclictest",
        Job::BusyCyclictest(_) => "busy+cyclictest",
        Job::Busy { .. } => "busy",
        Job::Channel { .. } => "channel",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = include_str!("init.sh");

    fn jobs() -> Vec<Job> {
        let test = Test {
            threads: Some(2),
            phase: 250,
            ..Test::default()
        };
        vec![
            Job::Shell,
            Job::Cyclictest(test),
            Job::BusyCyclictest(test),
            Job::Busy { seconds: Some(3) },
            Job::Channel { bytes: Some(64) },
        ]
    }

    #[test]
    fn the_words_say_it_all() {
        let line = command_line(&jobs()[2]);
        assert!(line.ends_with(
            " taktos.job=busy+cyclictest taktos.loops=100000 taktos.interval=1000 taktos.phase=250 \
             taktos.threads=2"
        ));
        assert!(command_line(&Job::Busy { seconds: None }).ends_with(" taktos.job=busy"));
    }

    /// The script knows every word that is written here, and every job.
    #[test]
    fn the_script_knows_every_word() {
        for job in jobs() {
            for word in command_line(&job).split(' ') {
                let Some(word) = word.strip_prefix("taktos.") else {
                    continue;
                };
                let (word, value) = word.split_once('=').expect("a value");
                assert!(SCRIPT.contains(&format!("taktos.{word}=*)")), "{word}");
                assert!(
                    word != "job" || SCRIPT.contains(&format!("\n    {value})")),
                    "job {value}"
                );
            }
        }
    }
}
