//! The steps that measure how long the one lock of the hypervisor and that of the kernel are held.
//! Of the hypervisor's lock it is the longest of all holds, while a guest with the most VCPUs
//! requests the longest exits that are known. Of the kernel's lock it is the longest hold of each
//! call, in the programs that make all calls there are.
//!
//! Owns: how long that may be. Must never know: what is done meanwhile.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write;

use taktos_emulator::several::{MOST_PROCESSORS, Setting};
use taktos_emulator::{Board, Options, Record, Watch};
use taktos_experiments::several_bench::LAYOUTS;
use taktos_runner::several::Board as Several;
use taktos_runner::workspace::Workspace;
use taktos_runner::{emulator, image};

use super::Tally;
use super::four::POLICIES;

/// The longest hold that is allowed under each scheduler, in executed instructions.
const LONGEST: [(&str, u64); 3] = [("credit", 7_700), ("credit2", 7_800), ("rtds", 10_300)];
/// The image's processors, of which none runs ahead of another by more than a tenth of what an exit
/// takes.
const SETTING: Setting = Setting::new(4, 100);
/// Fewer holds were no measurement.
const LEAST: usize = 1_000;

/// Under each scheduler of the hypervisor.
pub(super) fn longest(workspace: &Workspace) -> Result<Tally> {
    let image = image::build(workspace, Board::HYPERVISOR, "holds")?;
    let clock = emulator::find(Board::VIRT_AARCH64_EL2)?;
    let mut found = Tally::default();
    for (scheduler, most) in LONGEST {
        let options = Options {
            argument: Some(scheduler.to_owned()),
            ..Options::default()
        };
        let record = clock.record(&image.path, &SETTING, &options, &mut |_| {})?;
        let holds = holds(&record);
        let longest = holds.iter().max();
        let longest = *longest.with_context(|| format!("under {scheduler}: no hold was seen"))?;
        let figures = format!(
            "the longest of {} holds under {scheduler}: {longest} instructions\n",
            holds.len()
        );
        found.add(match longest <= most && holds.len() >= LEAST {
            true => Tally {
                figures,
                ..Tally::pass()
            },
            false => Tally::fail(format!(
                "{figures}  (at most {most}, of {LEAST} holds or more)\n"
            )),
        });
    }
    Ok(found)
}

/// The length of each hold, in instructions of the processor that had the lock.
fn holds(record: &Record) -> Vec<u64> {
    let mut taken = [None; MOST_PROCESSORS];
    let mut holds = Vec::new();
    for passing in &record.marks {
        let now = passing.total.count.instructions;
        match passing.mark.name.as_str() {
            "lock-taken" => taken[passing.processor] = Some(now),
            "lock-given-back" => {
                holds.extend(taken[passing.processor].take().map(|then| now - then))
            }
            _ => {}
        }
    }
    holds
}

/// The longest hold of the kernel's lock that is allowed to a call, in executed instructions.
const LIMIT: u64 = 400;
/// The calls that are above it, with what each of them may reach: a twentieth more than today, on
/// AArch64 or, by its share, on RISC-V. Seats that are lent are what they have in common: a call
/// that only switches away can meet them. Which calls do so depends on where the processors are,
/// which a quantum of another length changes: `semaphore::delete`, `queue::send`, `notify` and
/// `notify_take`, `pipe::write` have the longest that was seen at 97 and 100 instructions.
const ABOVE: [(&str, u64); 52] = [
    ("thread::delete", 10_300),
    ("smp::lock::lock", 7_750),
    ("ipc::fast::send", 7_050),
    ("thread::set_priority", 6_150),
    ("smp::lock::unlock", 5_900),
    ("kernel::alarm", 5_500),
    ("thread::stop", 5_150),
    ("thread::create::start_at", 4_600),
    ("thread::exit", 4_500),
    // Where an entry returns.
    ("thread::end", 4_500),
    ("ipc::reply", 3_300),
    // Each thread that the memory is enough for is woken.
    ("object::heap::drop", 3_150),
    ("object::semaphore::delete", 2_950),
    ("smp::api::remove_processor", 2_450),
    ("object::mutex::unlock", 2_450),
    ("smp::api::set_affinity", 2_250),
    ("ipc::call", 2_200),
    ("object::mutex::lock", 2_150),
    ("object::event::set", 2_050),
    ("smp::api::add_processor", 2_000),
    ("thread::join", 1_700),
    ("smp::api::move_to", 1_700),
    ("smp::api::release_job", 1_700),
    ("smp::api::request_for_caller", 1_600),
    ("smp::api::cancel_job", 1_600),
    ("object::period::reset", 1_200),
    ("object::poll::poll_among", 1_150),
    ("object::semaphore::give", 1_100),
    ("ipc::receive", 1_050),
    ("thread::cancel_wait", 1_050),
    ("object::queue::receive", 1_050),
    ("object::queue::send", 1_050),
    ("thread::resume", 950),
    ("thread::create::start_with", 950),
    ("thread::yield_now", 950),
    ("object::semaphore::take", 900),
    ("smp::alarm::do_asked", 900),
    ("thread::sleep", 900),
    ("object::period::go_on", 850),
    ("object::condition::wait", 700),
    ("object::heap::allocate", 700),
    ("ipc::reply_and_receive", 650),
    ("ipc::receive_from", 660),
    ("thread::suspend", 600),
    ("object::event::wait_any", 560),
    ("object::pipe::write", 650),
    ("object::notify::notify_take", 600),
    ("smp::lock::set_ceiling", 550),
    ("smp::api::set_server", 500),
    ("smp::api::processor", 450),
    ("object::notify::notify", 650),
    ("object::semaphore::give_in", 450),
];
/// Functions that read the whole state, for tests.
const LOOKS: [&str; 2] = ["smp::api::look", "smp::api::check"];
/// Share that RISC-V may execute more, in hundredths: as in `experiments/published/several.toml`.
const SHARE: u64 = 125;
/// Fewer calls were no measurement.
const CALLS: usize = 60;

/// The programs that make all calls of the kernel, and what each finds on its command line.
fn programs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let layouts = LAYOUTS.map(|(layout, _)| ("bench", layout));
    let policies = POLICIES.map(|policy| ("several", policy));
    layouts.into_iter().chain(policies).chain([("suite", "0")])
}

/// The longest hold of the kernel's lock by each call, on a board with four processors.
pub(super) fn of_the_kernel(workspace: &Workspace, board: Several) -> Result<Tally> {
    let clock = emulator::find(board.machine)?;
    let mut longest: BTreeMap<String, u64> = BTreeMap::new();
    for (program, argument) in programs() {
        let image = image::build_for(workspace, (board.name, board.machine.triple()), program)?;
        let options = Options {
            argument: Some(argument.to_owned()),
            watch: Watch {
                holds: true,
                ..Watch::default()
            },
            ..Options::default()
        };
        let record = clock.record(&image.path, &SETTING, &options, &mut |_| {})?;
        for (call, hold) in taktos_runner::holds::longest(&image.path, &record)? {
            let most = longest.entry(call).or_default();
            *most = hold.max(*most);
        }
    }
    longest.retain(|call, _| !LOOKS.contains(&call.as_str()));
    let share = match board.machine {
        Board::VIRT_RISCV64 => SHARE,
        _ => 100,
    };
    Ok(judged(&longest, &ABOVE, share))
}

/// Whether each call keeps to what is allowed to it, times a share in hundredths; those above the
/// limit are named.
fn judged(longest: &BTreeMap<String, u64>, above: &[(&str, u64)], share: u64) -> Tally {
    let limit = LIMIT * share / 100;
    let mut by_length: Vec<(&String, &u64)> = longest.iter().collect();
    by_length.sort_by_key(|(_, hold)| std::cmp::Reverse(**hold));
    let mut found = Tally::default();
    for (call, hold) in &by_length {
        let told = above.iter().find(|(name, _)| name == call);
        let most = told.map_or(limit, |(_, most)| limit.max(most * share / 100));
        if **hold > limit {
            let _ = writeln!(found.figures, "{call}: {hold} instructions, above {limit}");
        }
        found.add(match **hold <= most {
            true => Tally::pass(),
            false => Tally::fail(format!(
                "{call} holds the lock for {hold} (at most {most})\n"
            )),
        });
    }
    let within = by_length.iter().find(|(_, hold)| **hold <= limit);
    if let Some((call, hold)) = within {
        let _ = writeln!(found.figures, "the longest of the others is {call}: {hold}");
    }
    found.add(match by_length.len() >= CALLS {
        true => Tally::pass(),
        false => Tally::fail(format!(
            "{} calls were seen (at least {CALLS})\n",
            by_length.len()
        )),
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enough calls of 10 instructions, and this one.
    fn tally(hold: u64, share: u64) -> Tally {
        let others = (1..CALLS).map(|number| (format!("call {number}"), 10));
        let longest = others.chain([("lock".to_owned(), hold)]).collect();
        judged(&longest, &[("lock", 1_000)], share)
    }

    #[test]
    fn a_call_keeps_to_the_limit_or_to_what_is_told_of_it() {
        assert_eq!((tally(1_000, 100).failed, tally(1_001, 100).failed), (0, 1));
        assert_eq!((tally(1_250, 125).failed, tally(1_251, 125).failed), (0, 1));
        let untold = [("lock".to_owned(), LIMIT + 1)].into();
        let said = judged(&untold, &[], 100).said;
        assert!(
            said.contains("lock holds the lock for 401 (at most 400)"),
            "{said}"
        );
        assert!(said.contains("1 calls were seen"), "{said}");
    }

    #[test]
    fn calls_above_the_limit_are_named_and_the_longest_of_the_others() {
        let figures = tally(900, 100).figures;
        assert!(
            figures.starts_with("lock: 900 instructions, above 400\n"),
            "{figures}"
        );
        assert!(figures.contains("others is call"), "{figures}");
    }
}
