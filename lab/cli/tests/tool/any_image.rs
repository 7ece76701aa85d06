//! Images of any origin: a kernel that is not ours and never ends, built by the test; and one of
//! ours, by its file.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Folder, fail, printed, refuse, said, succeed, taktos};

/// Builds the foreign kernel.
fn foreign(folder: &Folder) -> PathBuf {
    build(folder, ("kernel.rs", "link.x"), "thumbv7em-none-eabi")
}

fn build(folder: &Folder, (source, script): (&str, &str), target: &str) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign");
    let elf = folder.0.join("foreign.elf");
    let mut rustc = Command::new("rustc");
    rustc
        .current_dir(crate::common::root())
        .args(["--edition", "2024", "--target", target])
        .args(["-C", "panic=abort", "-C", "opt-level=1"])
        .arg("-C")
        .arg(format!("link-arg=-T{}", sources.join(script).display()))
        .arg("-o")
        .arg(&elf)
        .arg(sources.join(source));
    succeed(&mut rustc);
    elf
}

/// The command on this image, for a tenth of a second of virtual time.
fn on(folder: &Folder, elf: &Path, line: &str) -> Command {
    let mut command = taktos(&format!("{line} --for 100ms --out"));
    command.arg(folder.0.join("out")).arg(elf);
    command
}

/// Returns the cost of an interval of this image.
fn counted(folder: &Folder, elf: &Path, interval: &str) -> serde_json::Value {
    let line = format!("count {interval} --format json");
    let counts = succeed(&mut on(folder, elf, &line));
    serde_json::from_str(&counts).unwrap()
}

#[test]
fn a_kernel_that_is_not_ours_is_counted_between_its_symbols() {
    let folder = Folder::new("foreign-count");
    let elf = foreign(&folder);
    let counts = counted(&folder, &elf, "--from filter --to filtered");
    // One instruction, twenty rounds of two, and the return.
    let exact = serde_json::json!({ "min": 42, "median": 42, "max": 42 });
    assert_eq!(counts[0]["instructions"], exact, "{counts}");
    // The task has every other millisecond, and the very first moment.
    let passages = counts[0]["passages"].as_u64().unwrap();
    assert!((49..=51).contains(&passages), "{counts}");
    // No byte depends on the folder of the image.
    let place = folder.0.file_name().unwrap().as_encoded_bytes();
    for name in [
        "report.html",
        "counts.json",
        "trace.pftrace",
        "manifest.json",
    ] {
        let bytes = std::fs::read(folder.0.join("out").join(name)).unwrap();
        let mut parts = bytes.windows(place.len());
        assert!(!parts.any(|part| part == place), "{name}");
    }
    let mut missing = on(&folder, &elf, "count --from filter --to nowhere");
    fail(&mut missing, 2, "no symbol `nowhere`", "nm -C IMAGE");
}

#[test]
fn a_function_of_rust_goes_by_the_name_that_its_author_wrote() {
    let folder = Folder::new("foreign-name");
    let elf = foreign(&folder);
    let counts = counted(&folder, &elf, "--from work::twenty --to filtered");
    assert_eq!(counts[0]["instructions"]["max"], 42, "{counts}");
    let mut half = on(&folder, &elf, "count --from twenty --to filtered");
    fail(
        &mut half,
        2,
        "no symbol `twenty`",
        "did you mean `work::twenty`?",
    );
}

#[test]
fn a_budget_that_is_not_kept_fails_with_a_line() {
    let folder = Folder::new("foreign-budget");
    let elf = foreign(&folder);
    let interval = "[[interval]]\nname = 'filter'\nfrom = 'filter'\nto = 'filtered'\n";
    let check = |instructions: u64| {
        let text = format!("{interval}instructions = {instructions}\ncycles = 1000\n");
        let file = folder.file("budget.toml", &text);
        let words = format!("count --budget {}", file.display());
        on(&folder, &elf, &words).output().unwrap()
    };
    let kept = check(42);
    assert!(kept.status.success(), "{}", said(&kept));
    let broken = check(41);
    assert_eq!(broken.status.code(), Some(1), "{}", printed(&broken));
    assert!(
        said(&broken).contains("  filter: 42 instructions, and its budget is 41\n"),
        "{}",
        said(&broken)
    );
}

#[test]
fn on_four_processors_each_has_its_own_counts_and_budgets() {
    let folder = Folder::new("foreign-four");
    let target = "riscv64imac-unknown-none-elf";
    let elf = build(&folder, ("four.rs", "four.x"), target);
    let interval = "[[interval]]\nname = 'filter'\nfrom = 'filter'\nto = 'filtered'\n";
    let text = format!("{interval}instructions = 6\n");
    let file = folder.file("budget.toml", &text);
    let words = format!("count --budget {} --format json", file.display());
    let output = on(&folder, &elf, &words)
        .args(["--board", "virt-riscv64-smp"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let counts: serde_json::Value = serde_json::from_str(&printed(&output)).unwrap();
    let rows = counts.as_array().unwrap();
    assert_eq!(rows.len(), 4, "{counts}");
    // One instruction, and two a round.
    for (row, processor) in rows.iter().zip(0_u64..) {
        assert_eq!(row["processor"], processor, "{counts}");
        assert_eq!(row["passages"], 1, "{counts}");
        assert_eq!(row["instructions"]["max"], 3 + 2 * processor, "{counts}");
    }
    let said = said(&output);
    let broken = said.lines().filter(|line| line.contains("its budget is 6"));
    assert_eq!(broken.count(), 2, "{said}");
    let dearest = "  filter on processor 3: 9 instructions, and its budget is 6\n";
    assert!(said.contains(dearest), "{said}");
}

#[test]
fn the_schedule_is_known_from_a_word_that_a_file_names() {
    let folder = Folder::new("foreign-trace");
    let elf = foreign(&folder);
    let file = folder.file(
        "watch.toml",
        "current-thread = 'pxCurrentTCB'\nthread-name = 4\n",
    );
    let words = format!("trace --watch {} --format json", file.display());
    let spans = succeed(&mut on(&folder, &elf, &words));
    let spans: Vec<serde_json::Value> = serde_json::from_str(&spans).unwrap();
    // A turn a millisecond, each of another task than the one before.
    assert!((99..=101).contains(&spans.len()), "{}", spans.len());
    let named = |name: &str| spans.iter().filter(|span| span["thread"] == name).count();
    assert!((49..=51).contains(&named("front")), "{}", named("front"));
    for pair in spans[1..].windows(2) {
        assert_ne!(pair[0]["thread"], pair[1]["thread"]);
        let apart = pair[1]["begin"].as_u64().unwrap() - pair[0]["begin"].as_u64().unwrap();
        assert!((999_900..1_000_100).contains(&apart), "{apart}");
    }
}

#[test]
fn an_image_that_never_ends_is_run_by_its_file() {
    let folder = Folder::new("image-run");
    let elf = foreign(&folder);
    let shown = succeed(&mut on(&folder, &elf, "run"));
    // The image's output is shown as it comes, before anything else is known.
    assert!(shown.starts_with("    begins\nThreads of "), "{shown}");
    let traced = succeed(&mut on(&folder, &elf, "trace"));
    assert!(traced.starts_with("The console of "), "{traced}");
    assert!(
        shown.contains("still running after 0.1 s of virtual time"),
        "{shown}"
    );
    let nothing = &mut on(&folder, &elf, "count");
    fail(nothing, 2, "nothing is to be counted", "--from SYMBOL");
}

#[test]
fn an_image_that_is_not_for_the_board_is_told_so() {
    let folder = Folder::new("image-board");
    let elf = foreign(&folder);
    for line in ["run", "trace", "count --from filter --to filtered"] {
        let mut other = on(&folder, &elf, line);
        other.args(["--board", "virt-aarch64"]);
        let cause =
            "is an image of 32-bit Arm, and the board virt-aarch64 has processors of AArch64";
        fail(&mut other, 2, cause, "say --board with one of mps2-an386, ");
        let host = Path::new(env!("CARGO_BIN_EXE_taktos"));
        let cause = format!("is an image of {}, which no board has", host_architecture());
        fail(
            &mut on(&folder, host, line),
            2,
            &cause,
            "build it for one of the boards",
        );
    }
}

#[test]
fn an_image_runs_on_any_machine_of_the_emulators() {
    let folder = Folder::new("image-machine");
    let elf = foreign(&folder);
    let count = |place: &str| {
        let line = format!("--from filter --to filtered {place}");
        counted(&folder, &elf, &line)
    };
    let board = count("--board mps2-an386");
    assert_eq!(
        count("--machine mps2-an386 --cpu cortex-m4"),
        board,
        "a board by its names"
    );
    // Cycles are modelled for processors with a table of their own, and for none that is not named.
    for (place, has_cycles) in [
        ("--machine mps2-an386", false),
        ("--machine mps2-an385 --cpu cortex-m3", true),
        ("--machine mps2-an500 --cpu cortex-m7", false),
    ] {
        let counts = count(place);
        assert_eq!(
            counts[0]["instructions"], board[0]["instructions"],
            "{place}"
        );
        assert_eq!(counts[0]["passages"], board[0]["passages"], "{place}");
        assert_eq!(counts[0].get("cycles").is_some(), has_cycles, "{counts}");
    }
}

#[test]
fn four_processors_are_counted_on_a_machine_that_is_named() {
    let folder = Folder::new("machine-four");
    let target = "riscv64imac-unknown-none-elf";
    let elf = build(&folder, ("four.rs", "four.x"), target);
    let place = "--machine virt --cpu sifive-u54 --processors 4";
    let line = format!("--from filter --to filtered {place}");
    let counts = counted(&folder, &elf, &line);
    assert_eq!(counts.as_array().unwrap().len(), 4, "{counts}");
    assert_eq!(counts[3]["instructions"]["max"], 9, "{counts}");
}

#[test]
fn a_machine_that_cannot_be_is_refused() {
    let folder = Folder::new("no-machine");
    let elf = foreign(&folder);
    for (place, cause, hint) in [
        (
            "--machine nowhere",
            "qemu-system-arm does not run it: ",
            "qemu-system-arm -M help lists machines",
        ),
        (
            "--machine mps2-an386 --processors 2",
            "this board has one processor",
            "",
        ),
    ] {
        let output = on(&folder, &elf, &format!("run {place}")).output().unwrap();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(cause) && said.contains(hint), "{said}");
    }
    for line in [
        "run",
        "run experiments/ipc.toml",
        "trace ipc",
        "count ipc --from a --to b",
    ] {
        let line = format!("{line} --machine virt");
        refuse(&line, "--machine virt is for an image", "say --board");
    }
}

fn host_architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "X86_64",
        other => other,
    }
}
