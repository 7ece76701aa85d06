//! Refuses a program that is not for one board, and passes the board's linker arguments to the
//! program's own build script.

use std::env;

/// How cargo names the features, each of which is a board but for the others.
const FEATURE: &str = "CARGO_FEATURE_";
const OTHERS: [&str; 11] = [
    "budgets",
    "console-input",
    "critical-section",
    "default",
    "defmt",
    "loaded",
    "log",
    "own-console",
    "pac",
    "panic-handler",
    "semihosting",
];

/// The board that is any chip: its memory map, its clock and its console are the program's.
const CHIP: &str = "chip";
/// The features that choose its console, by cargo's names.
const CONSOLES: [&str; 3] = ["SEMIHOSTING", "OWN_CONSOLE", "CONSOLE_INPUT"];

/// The boards that can leave the table of interrupts to another crate: they need no interrupt of it
/// themselves.
const WITHOUT_TABLE: &[&str] = &[
    CHIP,
    // boards: tables of interrupts
    "stm32l475-iot01",
    "stm32f405",
    "mps3-an547",
    // boards: end
];

/// By this name `.cargo/config.toml` of a program says what `cargo run` compiles it for.
const ASKED: &str = "TAKTOS_TARGET";

/// Set where the processor's interrupt controller is the NVIC: on a Cortex-M.
const NVIC: &str = "nvic";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg({NVIC})");
    if env::var("TARGET").is_ok_and(|target| target.starts_with("thumb")) {
        println!("cargo::rustc-cfg={NVIC}");
    }
    println!("cargo::rerun-if-env-changed={ASKED}");
    let boards: Vec<String> = env::vars()
        .filter_map(|(name, _)| Some(name.strip_prefix(FEATURE)?.to_lowercase().replace('_', "-")))
        .filter(|feature| !OTHERS.contains(&feature.as_str()))
        .collect();
    let is_host = env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("none");
    // Also on the host, where cargo comes first: on a target that is not the board's, other crates
    // would be refused in many more words.
    let asked = env::var(if is_host { ASKED } else { "TARGET" }).ok();
    let is_of_pac = env::var_os("CARGO_FEATURE_PAC").is_some();
    match boards.as_slice() {
        [board] if is_of_pac && !WITHOUT_TABLE.contains(&board.as_str()) => println!(
            "cargo::error=the feature `pac` of `taktos` is for {}: {board} has its own table of interrupts",
            WITHOUT_TABLE.join(", ")
        ),
        [board] => match consoles() {
            2.. => println!(
                "cargo::error=a program has one console: name one of `semihosting`, `own-console` and `console-input` as a feature of `taktos`"
            ),
            1 if board != CHIP => println!(
                "cargo::error=the features `semihosting`, `own-console` and `console-input` of `taktos` are for its feature `chip`: {board} has its own console"
            ),
            _ => for_board(board, asked.as_deref()),
        },
        [] if is_host => {}
        [] => refuse_boards("none is named"),
        boards => refuse_boards(&format!("{} are named", boards.join(" and "))),
    }
}

/// Returns how many consoles the program names.
fn consoles() -> usize {
    let named = CONSOLES.map(|console| env::var_os(format!("{FEATURE}{console}")));
    named.iter().flatten().count()
}

fn refuse_boards(why: &str) {
    println!(
        "cargo::error=a program is for one board, and {why}: name it as the only feature of `taktos` in Cargo.toml"
    );
}

/// Passes on the linker arguments for the board, or reports that the board has no such target.
fn for_board(board: &str, asked: Option<&str>) {
    let targets = told("_TARGETS").unwrap_or_default();
    let wrong = asked.filter(|asked| !targets.split(' ').any(|target| target == *asked));
    if let Some(asked) = wrong {
        println!(
            "cargo::error=a program for {board} cannot be compiled for {asked}: name {} in .cargo/config.toml",
            targets.replace(' ', " or ")
        );
    } else if let Some(arguments) = told("_ARGUMENTS") {
        // Where the words of records are kept, out of the image.
        let records = env::var_os("CARGO_FEATURE_DEFMT").map_or("", |_| " -Tdefmt.x");
        println!("cargo::metadata=arguments={arguments}{records}");
        if board == CHIP {
            println!("cargo::metadata=chip=1");
        }
        if let Some(place) = told("_PROGRAMS") {
            println!("cargo::metadata=programs={place}");
        }
    }
}

/// Returns the board's metadata value (`DEP_TAKTOS_BOARD_...`) of a name that ends with `what`.
fn told(what: &str) -> Option<String> {
    let is_told = |name: &str| name.starts_with("DEP_TAKTOS_BOARD_") && name.ends_with(what);
    env::vars().find_map(|(name, words)| is_told(&name).then_some(words))
}
