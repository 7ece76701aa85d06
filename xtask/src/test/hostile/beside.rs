//! Owns: what a peer may cost a guest that was promised its processor's time: by doorbells a guest
//! that has a processor of its own and takes no interrupts, by a device of its own one that shares
//! processors; and that a partition which was stopped is.
//! Must never know: how doorbells and interrupts are brought to a guest.
//!
//! All processors are busy, so time passes by the laboratory's clock: each has its own, and an
//! instruction takes a nanosecond.

use anyhow::{Context, Result};
use taktos_emulator::Board;
use taktos_emulator::several::Setting;
use taktos_runner::emulator;

use super::judge::{number, only};
use super::machine::{self, Heard, Images};
use crate::test::Tally;

/// The most real time of a run, in seconds.
const LIMIT: u64 = 120;
/// How many channels the two guests that ring doorbells have: as many as there can be.
const CHANNELS: usize = 8;
/// The board's clock, given to the peer.
const CLOCK: &str = "[[partition.device]]\nname = \"clock\"\naddress = 0x09010000\nsize = \"4 KiB\"\ninterrupt = 34\n";
const SERVER: &str = "period = \"10 ms\"\nbudget = \"4 ms\"\nextra-time = false\n";

/// A victim that counts its turns, and a peer that attacks it.
struct Case {
    name: String,
    policy: &'static str,
    /// Text of the victim's table of its virtual processor, of the peer's, and after both.
    tables: [String; 3],
    /// For how long, in milliseconds.
    span: u64,
    /// The peer's attack when it is quiet, and when it is not.
    quiet: &'static str,
    attack: &'static str,
    /// The victim's greatest loss, in hundredths of its turns next to the quiet peer.
    most_lost: u64,
}

fn cases() -> Vec<Case> {
    let channel = |number| {
        format!(
            "[[channel]]\nname = \"c{number}\"\nbetween = [\"victim\", \"hostile\"]\nkind = \"shared\"\nsize = \"4 KiB\"\n"
        )
    };
    let doorbells = Case {
        name: "a masked guest beside doorbells".into(),
        policy: "null",
        tables: [
            String::new(),
            String::new(),
            (0..CHANNELS).map(channel).collect(),
        ],
        span: 20,
        quiet: "sleep",
        attack: "doorbell-storm",
        most_lost: 5,
    };
    let mut cases = vec![doorbells];
    for (policy, server) in [("rtds", SERVER), ("credit2", "")] {
        for (place, affinity) in [("pinned", "hard-affinity = 0\n"), ("unpinned", "")] {
            cases.push(Case {
                name: format!("a guest under {policy}, {place}, beside a device's interrupts"),
                policy,
                tables: [
                    format!("[[partition.vcpu]]\n{server}{affinity}"),
                    format!("[[partition.vcpu]]\n{server}{CLOCK}"),
                    String::new(),
                ],
                span: 60,
                quiet: "busy",
                attack: "device-storm",
                most_lost: 3,
            });
        }
    }
    cases
}

/// Counts what each victim does next to a peer that is quiet, and next to one that attacks.
pub fn costs(images: &Images) -> Result<Tally> {
    let mut found = Tally::default();
    for case in cases() {
        found.add(case.cost(images).with_context(|| case.name.clone())?);
    }
    Ok(found)
}

impl Case {
    fn cost(&self, images: &Images) -> Result<Tally> {
        let run = |peer| {
            self.run(images, peer)
                .with_context(|| format!("beside {peer}"))
        };
        let (quiet, _) = run(self.quiet)?;
        let (turns, attempts) = run(self.attack)?;
        let figures = format!(
            "turns of {}: {quiet} beside {}, {turns} beside {attempts} attempts\n",
            self.name, self.quiet
        );
        let held = turns * 100 >= quiet * (100 - self.most_lost);
        Ok(match held && quiet > 0 && attempts > 1_000 {
            true => Tally {
                figures,
                ..Tally::pass()
            },
            false => Tally::fail(format!(
                "{figures}  (more than {} % less)\n",
                self.most_lost
            )),
        })
    }

    /// How often the victim gets through its loop, and what the peer attempted.
    fn run(&self, images: &Images, peer: &str) -> Result<(u64, u64)> {
        let name = format!("{} {peer}", self.name);
        let heard = run(images, (&name, &self.text(peer)), 2)?;
        let told = |who| -> Result<u64> {
            let told = only(&heard, &format!("[{who}] @hostile ")).map_err(anyhow::Error::msg)?;
            number(told, "attempts").with_context(|| format!("`{told}` lacks `attempts`"))
        };
        // A peer that sleeps reports nothing.
        Ok((told("victim")?, told("hostile").unwrap_or_default()))
    }

    fn text(&self, peer: &str) -> String {
        let span = self.span;
        // The peer has reported its attempts when the victim ends.
        let ends = [("busy", span + 1), (peer, span)];
        let [victim, hostile] = ["victim", "hostile"].map(|name| {
            let (attack, until) = ends[usize::from(name == "hostile")];
            guest(
                name,
                &format!("attack={attack} for-ms={until} until-ms={until} after=stay"),
            )
        });
        let victim = victim.replace(" after=stay", "");
        let Self { policy, tables, .. } = self;
        let [of_victim, of_hostile, behind] = tables;
        format!(
            "[machine]\ncpus = 2\n[[pool]]\nname = \"all\"\ncpus = [0, 1]\npolicy = \"{policy}\"\n{victim}{of_victim}{hostile}{of_hostile}{behind}"
        )
    }
}

fn guest(name: &str, words: &str) -> String {
    format!(
        "[[partition]]\nname = \"{name}\"\nmemory = \"4 MiB\"\nimage = \"taktos:hostile\"\narguments = \"{words}\"\n"
    )
}

/// Runs a machine of this number of processors, of which none runs ahead by more than a tenth of an
/// exit's time.
fn run(images: &Images, machine: (&str, &str), processors: usize) -> Result<Heard> {
    let setting = Setting::new(processors, 100);
    let clock = emulator::find(Board::VIRT_AARCH64_EL2)?.time(&setting, None)?;
    machine::run_text(images, machine, &clock, LIMIT)
}

/// How often a partition is started again that stops itself while one of its processors is on its
/// way into the hypervisor.
const RESTARTS: u64 = 3;

/// Partitions of two processors that stop themselves so by a reset and by a fault: nothing of the
/// life before continues, each life starts its second processor, and the last is the last.
pub fn stops(images: &Images) -> Result<Tally> {
    let mut found = Tally::default();
    for stop in ["reset", "fault"] {
        let name = format!("stopped by a {stop} while another processor leaves");
        let victim = guest("victim", "attack=busy for-ms=60 until-ms=60");
        let hostile = guest(
            "hostile",
            &format!("attack={stop}-beside for-ms=60 until-ms=0"),
        );
        let text = format!(
            "input = \"hostile\"\n[machine]\ncpus = 3\n\
             [[pool]]\nname = \"one\"\ncpus = 0\npolicy = \"null\"\n[[pool]]\nname = \"two\"\ncpus = \"1-2\"\npolicy = \"null\"\n\
             {victim}pool = \"one\"\n{hostile}pool = \"two\"\nvcpus = 2\non-{stop} = {RESTARTS}\n"
        );
        let heard = run(images, (&name, &text), 3)?;
        let told = |head: &str| {
            heard
                .lines
                .iter()
                .filter(|line| line.starts_with(head))
                .count()
        };
        let lives = (told("[hostile] @hostile begins") as u64, heard.restarts);
        found.add(match (lives, told("[hostile] @wrong ")) {
            ((begun, again), 0) if begun == RESTARTS + 1 && again == RESTARTS => Tally::pass(),
            (lives, _) => Tally::fail(format!(
                "{name}: begun and started again {lives:?}; it said:\n{}\n",
                heard.lines.join("\n")
            )),
        });
    }
    Ok(found)
}
