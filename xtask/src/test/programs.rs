//! The step that runs the programs of a board that test its port: each must end as
//! the table says.

use anyhow::Result;
use taktos_emulator::several::Setting;
use taktos_emulator::{Board, Ended, Processor};
use taktos_runner::workspace::Workspace;

use super::Tally;
use super::runner::{Runner, Words};

/// How one run of a program must end.
pub(super) struct Case {
    pub(super) program: &'static str,
    /// The word that the program finds on its command line.
    argument: Option<&'static str>,
    status: i32,
    /// Text that its console must contain; `*` matches anything between two parts.
    says: &'static str,
}

impl Case {
    /// Returns the program and its argument.
    pub(super) const fn words(&self) -> Words<'_> {
        (self.program, self.argument)
    }
}

/// A fault on purpose: the program's word for it, and its report.
const fn fault(argument: &'static str, says: &'static str) -> Case {
    Case {
        program: "faults",
        argument: Some(argument),
        status: 70,
        says,
    }
}

pub(super) const PORT: Case = Case {
    program: "port",
    argument: None,
    status: 0,
    says: "all passed\n",
};

const OVERFLOW: &str = "fault: stack overflow in thread 'victim'";
/// Where the processor could not store the frame, nothing is known of what is in it.
const OVERFLOW_WITHOUT_FRAME: &str = "fault: stack overflow in thread 'victim'*\n  r0   unknown\n*\n  pc   unknown\n  xpsr unknown\n  r4   0x";
const OVERFLOW_OF_MAIN: &str = "fault: stack overflow in thread 'main' at address ";
const OVERFLOW_OF_A_HANDLER: &str =
    "fault: stack overflow in an interrupt handler over thread 'victim' at address ";
/// Reports if a stack pointer has a limit: no address is touched.
const OVERFLOW_OF_MAIN_AT_LIMIT: &str = "fault: stack overflow in thread 'main'\n";
const OVERFLOW_OF_A_HANDLER_AT_LIMIT: &str =
    "fault: stack overflow in an interrupt handler over thread 'victim'\n";
/// Makes the report on one of several processors.
macro_rules! overflow_on {
    ($processor:literal) => {
        concat!(
            "fault: stack overflow in an interrupt handler over thread 'victim' at address *\n  on processor ",
            $processor,
            "\n"
        )
    };
}
const DATA: &str = "fault: forbidden data access in thread 'victim' at address ";
const NULL: &str = "fault: forbidden data access in thread 'victim' at address 0x00000000\n";
const NULL_OF_64_BITS: &str =
    "fault: forbidden data access in thread 'victim' at address 0x0000000000000000\n";
const DAMAGED: &str = "fault: undefined instruction in thread '?' (control block at 0x* damaged)\n";
const OVERFLOW_BEYOND: &str =
    "fault: stack overflow in thread '?' (control block at 0x* damaged) at address 0x";
/// The stack went on over the control block, which lies below it.
const OVERRUN: &str = "fault: stack overflow in thread '?' (control block at 0x* damaged)\n";
const OTHER: &str = "fault: fault of another kind in thread 'victim'\n";
const OTHER_IN_A_HANDLER: &str =
    "fault: fault of another kind in an interrupt handler over thread 'victim'\n";
const FETCH: &str = "fault: forbidden instruction fetch in thread 'victim'";
const UNDEFINED: &str = "fault: undefined instruction in thread 'victim'";
const UNDEFINED_IN_A_HANDLER: &str =
    "fault: undefined instruction in an interrupt handler over thread 'victim'";
const ARITHMETIC: &str = "fault: division by zero or unaligned access in thread 'victim'";
const BUS: &str = "fault: bus error in thread 'victim' at address 0x5fff0000\n";
const PANIC: &str = "fault: panic in thread 'victim' at workloads/*: on purpose\n";
const PANIC_WITH_NUMBERS: &str = "fault: panic in thread 'victim' at workloads/*: 42 on purpose\n";
const PANIC_IN_A_HANDLER: &str =
    "fault: panic in the handler of interrupt * over thread 'victim' at workloads/*: on purpose\n";

const FORBIDDEN_CALL: &str =
    "fault: forbidden call in the handler of interrupt * over thread 'victim'\n";

/// Those of the Cortex-M, which differ in what a stack that overflows says: of the first thread, of
/// handlers, far below the guard.
const fn cortex_m([main, handler, beyond]: [&'static str; 3]) -> [Case; 29] {
    [
        PORT,
        fault("overflow-of-the-first-thread", main),
        fault("overflow", OVERFLOW),
        fault("overflow-after-an-interrupt", OVERFLOW),
        fault("overflow-at-a-call", OVERFLOW),
        fault("overflow-at-an-interrupt", OVERFLOW_WITHOUT_FRAME),
        fault("overflow-at-a-switch", OVERFLOW),
        fault("overflow-at-a-resumption", OVERFLOW),
        fault("overflow-of-a-handler", handler),
        fault("null", NULL),
        fault("own-region", DATA),
        fault("frame-beyond-the-guard", beyond),
        fault("unmapped", BUS),
        fault("jump-to-null", FETCH),
        fault("jump-to-an-even-address", UNDEFINED),
        fault("jump-to-a-device", FETCH),
        fault("jump-to-nowhere", FETCH),
        fault("undefined", UNDEFINED),
        fault("undefined-while-masked", UNDEFINED),
        fault("undefined-in-a-handler", UNDEFINED_IN_A_HANDLER),
        fault("divide", ARITHMETIC),
        fault("unaligned", ARITHMETIC),
        fault("panic", PANIC),
        fault("panic-with-numbers", PANIC_WITH_NUMBERS),
        fault("panic-in-a-handler", PANIC_IN_A_HANDLER),
        fault("call-from-above", FORBIDDEN_CALL),
        fault("wake-from-above", FORBIDDEN_CALL),
        fault("wait-from-above", FORBIDDEN_CALL),
        fault("section-from-above", FORBIDDEN_CALL),
    ]
}

/// Those of Armv6-M, which has no unit that guards memory, and no status of faults.
const ARMV6_M: [Case; 12] = [
    PORT,
    fault("overflow-at-a-call", OVERRUN),
    fault("overflow-at-an-interrupt", OVERRUN),
    fault("overflow-at-a-switch", OVERRUN),
    fault("jump-to-null", OTHER),
    fault("jump-to-an-even-address", OTHER),
    fault("undefined", OTHER),
    fault("undefined-while-masked", OTHER),
    fault("undefined-in-a-handler", OTHER_IN_A_HANDLER),
    fault("unaligned", OTHER),
    fault("panic", PANIC),
    fault("panic-in-a-handler", PANIC_IN_A_HANDLER),
];
const ARMV7_M: [Case; 29] = cortex_m([OVERFLOW_OF_MAIN, OVERFLOW_OF_A_HANDLER, OVERFLOW_BEYOND]);
const ARMV8_M: [Case; 29] = cortex_m([
    OVERFLOW_OF_MAIN_AT_LIMIT,
    OVERFLOW_OF_A_HANDLER_AT_LIMIT,
    OVERFLOW,
]);

/// Those with a floating-point unit.
const FLOAT_OF_CORTEX_M: [Case; 2] = [
    fault("overflow-at-a-switch-with-float", OVERFLOW),
    fault("overflow-of-late-float", OVERFLOW),
];

/// Those with a map of memory, by how many digits an address has.
const fn mapped(null: &'static str) -> [Case; 17] {
    [
        PORT,
        fault("overflow", OVERFLOW),
        fault("overflow-at-a-call", OVERFLOW),
        fault("overflow-at-an-interrupt", OVERFLOW),
        fault("overflow-of-a-handler", OVERFLOW_OF_A_HANDLER),
        fault("null", null),
        fault("guard-of-another", DATA),
        fault("damaged-control-block", DAMAGED),
        fault("unmapped", DATA),
        fault("jump-to-null", FETCH),
        fault("jump-to-data", FETCH),
        fault("write-to-code", DATA),
        fault("write-to-a-constant", DATA),
        fault("undefined", UNDEFINED),
        fault("undefined-with-float", UNDEFINED),
        fault("panic", PANIC),
        fault("panic-with-numbers", PANIC_WITH_NUMBERS),
    ]
}

const CORTEX_A8: [Case; 17] = mapped(NULL);
pub(super) const VIRT: [Case; 17] = mapped(NULL_OF_64_BITS);

/// Recursions by the size of their frames, in bytes, of which only the lowest word is touched: none
/// passes the guard.
const SMALL_FRAMES: [Case; 8] = [
    fault("frame-16", OVERFLOW),
    fault("frame-32", OVERFLOW),
    fault("frame-48", OVERFLOW),
    fault("frame-80", OVERFLOW),
    fault("frame-96", OVERFLOW),
    fault("frame-128", OVERFLOW),
    fault("frame-192", OVERFLOW),
    fault("frame-240", OVERFLOW),
];

/// Those that are larger than the guard of Armv7-M is where its size was not chosen: a step of its
/// own chooses it.
const LARGE_FRAMES: [Case; 6] = [
    fault("frame-512", OVERFLOW),
    fault("frame-1024", OVERFLOW),
    fault("frame-2048", OVERFLOW),
    fault("frame-4096", OVERFLOW),
    fault("frame-6144", OVERFLOW),
    fault("frame-8192", OVERFLOW),
];

/// Which of them a board has, one of each architecture: the others have the same guards.
fn frames(board: Board) -> [&'static [Case]; 2] {
    match board {
        Board::MPS2_AN386 => [&SMALL_FRAMES, &[]],
        Board::MPS3_AN547 | Board::REALVIEW_PB_A8 | Board::VIRT_AARCH64 | Board::VIRT_RISCV64 => {
            [&SMALL_FRAMES, &LARGE_FRAMES]
        }
        _ => [&[], &[]],
    }
}

/// The guard below the handlers' stack of each of four processors.
pub(super) const OVERFLOW_ON_EACH: &[Case] = &[
    fault("overflow-of-a-handler on-0", overflow_on!("0")),
    fault("overflow-of-a-handler on-1", overflow_on!("1")),
    fault("overflow-of-a-handler on-2", overflow_on!("2")),
    fault("overflow-of-a-handler on-3", overflow_on!("3")),
];

/// With a processor less than the image is for.
pub(super) const MISSING: Case = Case {
    program: "hello",
    argument: None,
    status: 70,
    says: "processor 3 is not there",
};

/// With a processor less, below the hypervisor: the firmware gives no status there.
pub(super) const MISSING_AT_EL2: Case = Case {
    program: "port",
    argument: None,
    status: 0,
    says: "processor 3 is not there",
};

/// Ends of a machine with a hypervisor that faults: it executes what is not to be executed, or
/// writes below its stack or to its own code.
pub(super) const PORT_FAULTS: &[Case] = &[
    fault_at_el2("fault-fetch", ": syndrome 0x000000008600000f,"),
    fault_at_el2("fault-stack", ": syndrome 0x0000000096000047,"),
    fault_at_el2("fault-code", ": syndrome 0x000000009600004f,"),
];

const fn fault_at_el2(program: &'static str, says: &'static str) -> Case {
    Case {
        program,
        argument: None,
        status: 0,
        says,
    }
}

/// Runs the programs of `board`, and the test of its port for the other interface of floating
/// point, if it has one.
pub(super) fn run(workspace: &Workspace, board: Board) -> Result<Tally> {
    let cases: &[Case] = match board.processor() {
        Some(Processor::CortexM0) => &ARMV6_M,
        Some(Processor::CortexM3 | Processor::CortexM4 | Processor::CortexM7) => &ARMV7_M,
        Some(Processor::CortexM33 | Processor::CortexM55) => &ARMV8_M,
        Some(Processor::CortexA8) => &CORTEX_A8,
        Some(_) => &VIRT,
        // No program is built for it.
        None => &[],
    };
    let run_each = |cases: &[Case], triple| {
        let runner = Runner::of(workspace, board)?.compiled_for(triple);
        run_each(cases, |case| runner.run(case.words(), &Setting::ONE))
    };
    let mut all = run_each(cases, board.triple())?;
    for frames in frames(board) {
        all.add(run_each(frames, board.triple())?);
    }
    if let Some(triple) = board.hard_float_triple() {
        all.add(run_each(&[PORT], triple)?);
        if board.triple().starts_with("thumb") {
            all.add(run_each(&FLOAT_OF_CORTEX_M, board.triple())?);
        }
    }
    Ok(all)
}

/// Runs each case and judges how it ended.
pub(super) fn run_each(cases: &[Case], call: impl Fn(&Case) -> Result<Ended>) -> Result<Tally> {
    let mut all = Tally::default();
    for case in cases {
        all.add(judge(case, &call(case)?));
    }
    Ok(all)
}

/// Whether the text has the parts between the asterisks, in their order.
fn says(text: &str, parts: &str) -> bool {
    let mut rest = text;
    parts.split('*').all(|part| {
        let found = rest.split_once(part);
        rest = found.map_or("", |(_, behind)| behind);
        found.is_some()
    })
}

fn judge(case: &Case, ended: &Ended) -> Tally {
    let (status, console) = (ended.exit_status, &ended.console);
    if status == case.status && says(console, case.says) {
        return Tally::pass();
    }
    let argument = case.argument.unwrap_or_default();
    Tally::fail(format!(
        "{} {argument}: ended with {status} instead of {}, or did not say `{}`, but:\n{console}\n",
        case.program,
        case.status,
        case.says.trim_end(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(exit_status: i32, console: &str) -> Ended {
        Ended {
            console: console.to_owned(),
            exit_status,
        }
    }

    #[test]
    fn both_the_status_and_the_words_count() {
        let case = fault("overflow", OVERFLOW);
        let said = "fault: stack overflow in thread 'victim' at address 0x200015f8\n";
        assert_eq!(judge(&case, &ended(70, said)), Tally::pass());
        assert_eq!(judge(&case, &ended(0, said)).failed, 1);
        assert_eq!(judge(&case, &ended(70, "fault: bus error\n")).failed, 1);
        let other = judge(
            &case,
            &ended(70, "fault: stack overflow in thread 'main'\n"),
        );
        let case = fault("panic", PANIC);
        let said =
            |reason| format!("fault: panic in thread 'victim' at workloads/x.rs:1{reason}\n");
        assert_eq!(judge(&case, &ended(70, &said(": on purpose"))).failed, 0);
        assert_eq!(judge(&case, &ended(70, &said(""))).failed, 1);
        assert!(other.said.contains("overflow"), "{}", other.said);
        assert_eq!(other.failed, 1);
    }
}
