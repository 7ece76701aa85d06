//! `./taktos test`: everything that CI checks, as steps of an ordinary test-runner.
//!
//! Owns: which steps there are and in which order, and what each needs. Must never know: how a step
//! makes its checks, how steps are run and reported.

mod agreement;
mod any_chip;
mod as_checked;
mod boards;
mod book;
mod c_programs;
mod cargo;
mod changed;
mod channels;
mod cortex_m;
mod counter;
mod dependencies;
mod disturbed;
mod el2;
mod embassy;
mod ethercat;
mod examples;
mod firmware;
mod four;
mod holds;
mod hostile;
mod images;
mod line;
mod loaded;
mod models;
mod neighbours;
mod own;
mod partitions;
mod programs;
mod published;
mod repeat;
mod report;
mod run;
mod runner;
mod scripts;
mod seed;
mod sets;
mod setting_up;
mod several;
mod speed;
mod storms;
mod tally;
mod words;

use anyhow::Result;
use taktos_cli::arguments::Interface;
use taktos_cli::command::bench::thread_metric::Calls;
use taktos_cli::command::install::Form;
use taktos_cli::command::needs::{Need, RUNNING};
use taktos_emulator::{Board, El2};
use taktos_runner::several::Board as Several;
use taktos_runner::workspace::Workspace;

pub use line::Line;
pub use run::{needs, run};
use storms::Length;
use tally::Tally;

/// Work of a step. An error is a failed check, which it explains.
type Work = Box<dyn Fn(&Workspace) -> Result<Tally> + Send + Sync>;

/// One step: its name, and what it does.
struct Step {
    name: String,
    work: Work,
    needs: &'static [Need],
}

/// A step that runs images in the emulator.
fn step(
    name: impl Into<String>,
    work: impl Fn(&Workspace) -> Result<Tally> + Send + Sync + 'static,
) -> Step {
    Step {
        name: name.into(),
        work: Box::new(work),
        needs: RUNNING,
    }
}

/// A step on something that has a name, which its own ends with.
fn on<T: Copy + Send + Sync + 'static>(
    what: &str,
    (name, device): (&str, T),
    work: fn(&Workspace, T) -> Result<Tally>,
) -> Step {
    step(format!("{what} {name}"), move |workspace| {
        work(workspace, device)
    })
}

/// Returns such a step for work that may be long.
fn long<T: Copy + Send + Sync + 'static>(
    what: &str,
    name: &str,
    (device, length): (T, Length),
    work: fn(&Workspace, T, Length) -> Result<Tally>,
) -> Step {
    step(format!("{what} {name}"), move |workspace| {
        work(workspace, device, length)
    })
}

impl Step {
    /// Returns the step with these needs and no others beyond the tool.
    fn needing(self, needs: &'static [Need]) -> Self {
        Self { needs, ..self }
    }
}

/// A step that also inspects programs in a debugger.
const DEBUGGING: &[Need] = &[Need::Images, Need::Emulator, Need::Debugger];

/// A step that also compiles C for the boards.
const COMPILING_C: &[Need] = &[Need::Images, Need::Emulator, Need::CCompilers];

/// Needs of a step that compiles C for the boards, with the library as bitcode.
const COMPILING_C_TO_BITCODE: &[Need] =
    &[Need::Images, Need::Emulator, Need::CCompilers, Need::Clang];

/// A step that runs nothing in the emulator.
const BUILDING: &[Need] = &[Need::Images];

/// Returns the steps: what is quick and says most first, then the two that are longest, for all
/// others to run at the same time. These two build in folders of their own, so that no step waits
/// for their builds.
fn steps(length: Length) -> Vec<Step> {
    let mut steps = vec![
        step("layering", cargo::layering).needing(&[]),
        step("line budgets", cargo::line_budgets).needing(&[]),
        step("words of comments", words::check).needing(&[]),
        step("lists of boards", cargo::lists_of_boards).needing(&[]),
        step("an example of each item", examples::shown).needing(&[]),
        cargo::format(),
        cargo::host_tests(),
    ];
    let own = step("programs of one's own", move |ws| own::programs(ws, length));
    steps.push(own.needing(DEBUGGING));
    steps.extend(cargo::lints(length));
    steps.push(
        step("documentation", move |ws| {
            published::documentation(ws, length)
        })
        .needing(BUILDING),
    );
    let built = [
        step("images", move |ws| cargo::images(ws, length)),
        step("smallest image", images::smallest),
        step("text of the hypervisor", images::hypervisor),
        step("code of the Cortex-M", cortex_m::code),
        step("instructions known", move |ws| {
            models::every_instruction(ws, length)
        }),
    ];
    steps.extend(built.map(|step| step.needing(BUILDING)));
    let c_programs = step("C programs", move |ws| c_programs::programs(ws, length));
    steps.push(c_programs.needing(COMPILING_C_TO_BITCODE));
    // The program that the step needs is compiled, and set up last.
    let dependencies = step("dependencies", move |ws| dependencies::check(ws, length));
    steps.push(dependencies.needing(dependencies::needs(length)));
    steps.extend(on_one_processor(length));
    for board in Several::thorough() {
        steps.extend(on_four_processors(board, length));
    }
    // A call's use of the lock is the kernel's: in short runs one architecture shows it.
    let shown = if length == Length::Long { 2 } else { 1 };
    steps.extend((Several::thorough().take(shown)).map(|board| {
        on(
            "longest hold of the lock on",
            (board.name, board),
            holds::of_the_kernel,
        )
    }));
    for board in boards::chips(length) {
        let there = || (board.name, board);
        // That of the thorough boards is the same.
        if length == Length::Long {
            steps.push(on("kernel suite on", there(), four::suite_elsewhere));
        }
        steps.push(on("port and faults on", there(), four::programs_elsewhere));
    }
    steps.push(step("hostile guests", move |ws| {
        hostile::attack(ws, length)
    }));
    steps.extend(budgets(length));
    steps.push(step("a board's own counter", counter::refused));
    steps.push(step(
        "consistent time on several processors",
        several::consistent_time,
    ));
    steps.push(step("a program for any chip", any_chip::blinks));
    steps.push(step("a program with a vendor's drivers", own::hal::driven));
    steps.push(step("a watchdog and a shell", own::watched));
    steps.push(step("sockets by smoltcp", own::sockets::echo));
    steps.push(step("settings in flash", own::settings::kept));
    steps.push(step("crates to be published", move |ws| {
        published::packages(ws, length)
    }));
    steps.push(step("executors of embassy", move |ws| {
        embassy::executors(ws, length)
    }));
    steps.push(step("programs loaded into partitions", move |ws| {
        loaded::programs(ws, length)
    }));
    let speed = step(
        "the tool simulates as fast as its library",
        speed::of_simulator,
    );
    steps.push(speed.needing(&[]));
    steps.push(step("two runs, the same bytes", move |ws| {
        repeat::same_bytes(ws, length)
    }));
    steps.extend(cargo::more_tests(length));
    steps.push(step("the book's code", book::code));
    steps
}

/// The kernel, its ports and the hypervisor on boards with one processor.
fn on_one_processor(length: Length) -> Vec<Step> {
    let shown = boards::of_kernel(length);
    let all = || shown.iter().map(|board| (board.name(), *board));
    let suites = all().map(|board| on("kernel suite on", board, images::suite));
    let ports = all().map(|board| on("port and faults on", board, programs::run));
    let attacks = boards::of_kinds(length).into_iter().map(|board| {
        on(
            "attacks from partitions on",
            (board.name(), board),
            partitions::attack,
        )
    });
    let of_several = boards::of_four(length).map(|board| {
        long(
            "attacks from partitions on",
            board.name,
            (board, length),
            partitions::attack_several,
        )
    });
    let of_hard_float = partitions::with_hard_float(length).map(|(board, triple)| {
        on(
            "attacks from partitions with hard float on",
            (board.name(), (board, triple)),
            partitions::attack_as,
        )
    });
    let of_budgets = boards::of_architectures(length).into_iter().map(|board| {
        long(
            "partitions with budgets on",
            board.name(),
            (board, length),
            partitions::budgets,
        )
    });
    let budgets_of_several = boards::of_four(length).map(|board| {
        long(
            "partitions with budgets on",
            board.name,
            (board, length),
            partitions::budgets_of_several,
        )
    });
    let in_storms = partitions::in_storms(length).map(|image| {
        on(
            "attacks from partitions in a storm on",
            image,
            partitions::attack_in_storm,
        )
    });
    let attacks = attacks
        .chain(of_several)
        .chain(of_hard_float)
        .chain(in_storms)
        .chain(of_budgets)
        .chain(budgets_of_several);
    let guests = [
        step(
            format!("port and faults on {}", El2::BOARD.0),
            el2::programs,
        ),
        step("longest hold of the lock", holds::longest),
        step("a guest beside attackers", neighbours::beside_attackers),
        step("doorbells between processors", neighbours::across),
        step("FIFOs between guests", channels::round_trips),
        step("an EtherCAT controller", ethercat::controller),
        step("the simulator agrees", agreement::agree),
    ];
    suites.chain(ports).chain(attacks).chain(guests).collect()
}

/// The kernel on a board with four.
fn on_four_processors(board: Several, length: Length) -> [Step; 7] {
    let there = || (board.name, board);
    let with = || (board, length);
    [
        on("kernel suite on", there(), four::suite),
        on("port and faults on", there(), four::programs),
        long("scheduling scripts on", board.name, with(), scripts::follow),
        on(
            "suite for several processors on",
            there(),
            four::suite_for_several,
        ),
        long("stress tests on", board.name, with(), storms::rage),
        long(
            "kernel and simulator agree on",
            board.name,
            with(),
            sets::agree,
        ),
        long("race search on", board.name, with(), storms::hunt),
    ]
}

/// Returns the steps that compare the counts of every board with its baseline. The chips with
/// several processors have the ports of the thorough boards; they are in long runs.
fn budgets(length: Length) -> impl Iterator<Item = Step> {
    let ones = Board::all().chain([Board::HYPERVISOR]);
    let ones = ones.map(|board| on("budgets of", (board.name(), board), images::budgets));
    let fours = boards::of_four(length)
        .map(|board| on("budgets of", (board.name, board), several::budgets));
    let with_fours = |ones: Vec<Board>| {
        let ones = ones.into_iter().map(Several::from);
        ones.chain(Several::thorough())
    };
    let users = with_fours(boards::of_kinds(length)).map(|board| {
        on(
            "budgets in user mode of",
            (board.name, board),
            images::user_budgets,
        )
    });
    let charged = with_fours(boards::ARCHITECTURES.to_vec()).map(|board| {
        on(
            "budgets in user mode, charged, of",
            (board.name, board),
            images::charged_budgets,
        )
    });
    let metrics = [
        ("Rust", Interface::Rust, Form::Machine),
        ("taktos.h", Interface::Taktos, Form::Machine),
        ("CMSIS-RTOS2", Interface::CmsisRtos2, Form::Machine),
        ("taktos.h with LTO", Interface::Taktos, Form::Bitcode),
        ("CMSIS-RTOS2 with LTO", Interface::CmsisRtos2, Form::Bitcode),
    ];
    let metrics = metrics.map(|(name, interface, library)| {
        let calls = Calls { interface, library };
        let step = on(
            "budgets of Thread-Metric in",
            (name, calls),
            images::thread_metric,
        );
        step.needing(match library {
            Form::Machine => COMPILING_C,
            Form::Bitcode => COMPILING_C_TO_BITCODE,
        })
    });
    ones.chain(fours).chain(users).chain(charged).chain(metrics)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_a_name_of_its_own() {
        let mut names: Vec<String> = steps(Length::Long)
            .into_iter()
            .map(|step| step.name)
            .collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
