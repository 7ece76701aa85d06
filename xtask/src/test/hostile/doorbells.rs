//! Owns: what the doorbells of a peer may cost a guest that has a processor of its own and takes no interrupts.
//! Must never know: how doorbells are brought to a guest.
//!
//! Both processors are busy, so time passes by the laboratory's clock: each has its own, and an instruction takes a nanosecond.

use anyhow::{Context, Result};
use taktos_emulator::several::{Setting, Virt};
use taktos_runner::emulator;

use super::judge::{number, only};
use super::machine::{self, Images};
use crate::test::Tally;

/// What the victim may lose, in hundredths of what it does alone.
const MOST_LOST: u64 = 5;
/// Both processors, of which neither runs ahead by more than a tenth of what a doorbell's exit takes.
const SETTING: Setting = Setting::new(2, 100);
/// The most real time of a run, in seconds.
const LIMIT: u64 = 120;
/// How many channels the two have: as many as there can be.
const CHANNELS: usize = 8;

/// Counts what the victim does beside a peer that sleeps, and beside one that rings its doorbells without end.
pub fn cost(images: &Images) -> Result<Tally> {
    let clock = emulator::find(Virt::Aarch64El2)?.time(&SETTING)?;
    let turns = |peer| turns(images, &clock, peer).with_context(|| format!("beside {peer}"));
    let alone = turns("sleep")?;
    let beside = turns("doorbell-storm")?;
    let figures = format!("turns of a masked guest: {alone} alone, {beside} beside doorbells\n");
    Ok(
        match beside * 100 >= alone * (100 - MOST_LOST) && alone > 0 {
            true => Tally {
                figures,
                ..Tally::pass()
            },
            false => Tally::fail(format!("{figures}  (more than {MOST_LOST} % less)\n")),
        },
    )
}

/// How often the victim gets through its loop in the 20 ms behind the machine's start.
fn turns(images: &Images, clock: &[String], peer: &str) -> Result<u64> {
    let name = format!("a masked guest beside {peer}");
    let heard = machine::run_text(images, (&name, &text(peer)), clock, LIMIT)?;
    let told = only(&heard, "[victim] @hostile ").map_err(anyhow::Error::msg)?;
    number(told, "attempts").with_context(|| format!("`{told}` lacks `attempts`"))
}

/// Two guests with a processor each: one that computes with its interrupts masked, and `peer`.
fn text(peer: &str) -> String {
    let guest = |name: &str, words: &str| {
        format!(
            "[[partition]]\nname = \"{name}\"\nmemory = \"4 MiB\"\nimage = \"taktos:hostile\"\narguments = \"{words}\"\n"
        )
    };
    let channel = |number| {
        format!(
            "[[channel]]\nname = \"c{number}\"\nbetween = [\"victim\", \"hostile\"]\nkind = \"shared\"\nsize = \"4 KiB\"\n"
        )
    };
    let channels: String = (0..CHANNELS).map(channel).collect();
    let victim = guest("victim", "attack=busy for-ms=20 until-ms=20");
    let hostile = guest(
        "hostile",
        &format!("attack={peer} for-ms=20 until-ms=20 after=stay"),
    );
    format!(
        "[machine]\ncpus = 2\n[[pool]]\nname = \"all\"\ncpus = [0, 1]\npolicy = \"null\"\n{victim}{hostile}{channels}"
    )
}
