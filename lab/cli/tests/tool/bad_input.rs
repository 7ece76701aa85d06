//! Mistakes of a user, and parts that a machine lacks: a cause in one line, the hint in another,
//! and nothing half-written.

use crate::common::{Folder, fail, refuse, root, succeed, taktos};

#[test]
fn an_unknown_board_lists_the_known_ones() {
    refuse(
        "bench --board leon3",
        "unknown board `leon3`",
        "mps2-an386, stm32l475-iot01, stm32f405, mps3-an547, realview-pb-a8",
    );
}

#[test]
fn an_unknown_board_of_a_file_is_named_with_its_line() {
    let folder = Folder::new("board");
    let file = folder.file(
        "mine.toml",
        "title = 'mine'\nquestion = 'why?'\nboard = 'leon3'\nprogram = 'ipc'\n",
    );
    refuse(
        &format!("run {}", file.display()),
        "mine.toml:3: unknown board `leon3`",
        "mps2-an386",
    );
}

#[test]
fn a_broken_experiment_is_named_with_its_line() {
    let folder = Folder::new("broken");
    for (name, text, cause) in [
        (
            "key.toml",
            "title = 'a'\nbored = 'x'\n",
            "key.toml:2: unknown field `bored`",
        ),
        ("toml.toml", "title = 'a'\n= 5\n", "toml.toml:2: "),
        (
            "lacking.toml",
            "title = 'a'\n",
            "lacking.toml:1: missing field `question`",
        ),
    ] {
        let file = folder.file(name, text);
        let out = folder.0.join("out");
        let arguments = format!("run {} --out {}", file.display(), out.display());
        refuse(&arguments, cause, "experiments/ipc.toml");
        assert!(!out.exists());
    }
}

#[test]
fn a_missing_experiment_is_named() {
    refuse(
        "run experiments/nowhere.toml",
        "experiments/nowhere.toml",
        "name an experiment file",
    );
}

#[test]
fn a_path_is_a_path_and_a_trace_of_others_is_named_as_what_it_is() {
    let folder = Folder::new("path");
    folder.file("x.ftrace", "# tracer: nop\n#\n");
    folder.file("x.json", "{\"traceEvents\": []}");
    folder.file("x.pftrace", "\n\u{3}abc\n\u{1}a");
    folder.file("rnd", "nothing that is known");
    std::fs::create_dir(folder.0.join("ctf")).unwrap();
    folder.file("ctf/metadata", "/* CTF 1.8 */");
    let place = folder.0.display();
    for (file, cause, hint) in [
        ("nosuch.elf", "there is no file", "name an image"),
        (
            "x.ftrace",
            "is a trace of Linux's ftrace",
            "ui.perfetto.dev",
        ),
        ("x.json", "is a trace in JSON", "ui.perfetto.dev"),
        ("x.pftrace", "is a trace of Perfetto", "trace.schedule"),
        ("ctf", "Common Trace Format", "babeltrace"),
        ("rnd", "is no image", "name an image"),
        (".", "is a folder", "name an image"),
    ] {
        refuse(&format!("trace {place}/{file}"), cause, hint);
        let count = format!("count {place}/{file} --from a --to b --out {place}/out");
        refuse(&count, cause, hint);
    }
    assert!(!folder.0.join("out").exists());
}

#[test]
fn a_result_by_a_name_alone_leaves_nothing_else_behind() {
    let folder = Folder::new("name-alone");
    // The file that a killed run has left.
    std::fs::create_dir(folder.0.join(".mine.part-4000000001")).unwrap();
    let set = root().join("experiments/onboard.toml");
    let mut sim = taktos("sim --for 1s --out mine");
    let root = root().canonicalize().unwrap();
    sim.env("TAKTOS_ROOT", root).current_dir(&folder.0);
    let shown = succeed(sim.arg(set));
    assert_eq!(folder.names(), ["mine"]);
    assert!(shown.contains("mine/report.html"), "{shown}");
}

#[test]
fn a_missing_emulator_is_named() {
    let (folder, empty) = (Folder::new("missing"), Folder::new("empty"));
    let out = folder.0.join("out");
    let mut command = taktos(&format!("reproduce ipc --out {}", out.display()));
    command.env("PATH", &empty.0);
    fail(
        &mut command,
        2,
        "qemu-system-arm is not installed",
        "./taktos",
    );
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn an_old_emulator_is_named_with_its_version() {
    let (folder, programs) = (Folder::new("old"), Folder::new("programs"));
    programs.program(
        "qemu-system-arm",
        "QEMU emulator version 7.2.15 (Debian 1:7.2)",
    );
    let out = folder.0.join("out");
    let mut command = taktos(&format!("bench --out {}", out.display()));
    command.env("PATH", &programs.0);
    fail(&mut command, 2, "version 7.2.15", "./taktos");
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn a_place_that_cannot_be_written_is_named_before_any_work() {
    let folder = Folder::new("unwritable");
    let file = folder.file("file", "mine");
    let out = file.join("below");
    refuse(
        &format!("bench --out {}", out.display()),
        "cannot write",
        "--out DIR",
    );
    assert_eq!(folder.names(), ["file"]);
}

#[test]
fn somebody_elses_directory_is_left_alone() {
    let folder = Folder::new("foreign");
    folder.file("thesis.tex", "\\documentclass{book}");
    refuse(
        &format!("bench --out {}", folder.0.display()),
        "is not a result directory",
        "--out DIR",
    );
    assert_eq!(folder.names(), ["thesis.tex"]);
}

#[test]
fn a_baseline_that_is_missing_or_broken_is_named_before_any_work() {
    let folder = Folder::new("baseline");
    let nowhere = folder.0.join("nowhere.csv");
    refuse(
        &format!("bench --baseline {}", nowhere.display()),
        "cannot read the baseline",
        "--save-baseline",
    );
    let broken = folder.file("broken.csv", "{\n  \"board\": 7\n}\n");
    refuse(
        &format!("bench --baseline {}", broken.display()),
        "broken.csv:1: no baseline",
        "--save-baseline",
    );
}

#[test]
fn a_recording_that_is_none_is_named() {
    let folder = Folder::new("recording");
    let file = folder.file("mine.schedule", "not a recording");
    refuse(
        &format!("trace {}", file.display()),
        "not a schedule recorded by taktos",
        "taktos trace PROGRAM",
    );
}

#[test]
fn a_program_that_no_board_has_is_named() {
    refuse(
        "trace no-such-program",
        "has no program `no-such-program`",
        "boards/mps2-an386/src/bin",
    );
}

#[test]
fn two_papers_are_no_one_json_document() {
    refuse(
        "reproduce all --format json",
        "no one JSON document",
        "reproduce ipc --format json",
    );
}

#[test]
fn outside_of_a_tree_the_entry_is_named() {
    let folder = Folder::new("outside");
    let mut command = taktos("run");
    command.current_dir(&folder.0).env_remove("TAKTOS_ROOT");
    fail(&mut command, 2, "not inside a Taktos tree", "./taktos");
}

#[test]
fn the_doctor_names_what_is_missing_and_the_command() {
    let empty = Folder::new("doctor");
    let output = taktos("doctor").env("PATH", &empty.0).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let table = crate::common::printed(&output);
    for words in [
        "qemu-system-arm",
        "missing",
        "rustup target add thumbv7em-none-eabi",
    ] {
        assert!(table.contains(words), "{words}: {table}");
    }
}

#[test]
fn the_doctor_finds_everything_where_these_tests_run() {
    let table = succeed(&mut taktos("doctor"));
    assert!(table.contains("Nothing is missing."), "{table}");
    let rows: Vec<&str> = table
        .lines()
        .filter(|row| row.contains("present"))
        .collect();
    for (place, row) in rows.iter().enumerate() {
        assert!(!rows[..place].contains(row), "twice:\n{table}");
    }
}

#[test]
fn the_help_teaches_by_examples() {
    let help = succeed(&mut taktos("--help"));
    for words in [
        "taktos reproduce ipc --board mps2-an386",
        "Exit status",
        "doctor",
    ] {
        assert!(help.contains(words), "{words}: {help}");
    }
}

#[test]
fn every_experiment_that_ships_is_well_formed() {
    let empty = Folder::new("shipped");
    let mut seen = 0;
    for entry in std::fs::read_dir(root().join("experiments")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let text = std::fs::read_to_string(&path).unwrap();
            if text.contains("[machine]") {
                // Read and admitted, it stops where its images would be built.
                let mut command = taktos(&format!("vm check {}", path.display()));
                command.env("PATH", &empty.0);
                fail(&mut command, 2, "cargo does not start", "./taktos");
                continue;
            }
            if text.contains("[[task]]") || text.contains("[[partition]]") {
                // On the kernel run tasks alone, and not without the emulator.
                let (cause, hint) = match text.contains("[[partition]]") {
                    true => ("it has partitions", "taktos sim "),
                    false => ("is not installed", "./taktos"),
                };
                let mut command = taktos(&format!("run {} --out", path.display()));
                command.arg(empty.0.join("out")).env("PATH", &empty.0);
                fail(&mut command, 2, cause, hint);
                let mut command = taktos(&format!("sim {}", path.display()));
                command.args(["--for", "1s", "--out"]);
                succeed(command.arg(empty.0.join("out")));
                continue;
            }
            // Read to the end, it stops at the emulator, which is not there.
            let mut command = taktos(&format!("run {} --out", path.display()));
            command.arg(empty.0.join("out")).env("PATH", &empty.0);
            fail(&mut command, 2, " is not installed", "./taktos");
            seen += 1;
        }
    }
    assert!(seen >= 3, "{seen}");
}

/// A tree of the project with nothing in it but a clock that does not compile any longer.
fn copied_tree(name: &str) -> Folder {
    let folder = Folder::new(name);
    for place in ["experiments", "lab/cli"] {
        std::fs::create_dir_all(folder.0.join(place)).unwrap();
    }
    folder.file("lab/cli/Cargo.toml", "");
    let clock = "lab/clock/src";
    std::fs::create_dir_all(folder.0.join(clock)).unwrap();
    for entry in std::fs::read_dir(root().join(clock)).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        folder.file(
            &format!("{clock}/{name}"),
            &format!("#error \"the copy's own clock\"\n{text}"),
        );
    }
    folder.emulators(".", "10.0.2");
    folder
}

/// The tool as the script of that tree calls it, from within this one.
fn in_copy(folder: &Folder, line: &str) -> std::process::Command {
    let mut command = taktos(line);
    let path = format!("{}:{}", folder.0.display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env("TAKTOS_ROOT", &folder.0);
    command.env_remove("CARGO_TARGET_DIR");
    command
}

#[test]
fn a_copied_tree_has_its_own_clock() {
    let folder = copied_tree("copied");
    for line in ["doctor", "trace hello", "bench --board virt-aarch64-smp"] {
        let output = in_copy(&folder, line).output().unwrap();
        let words = crate::common::printed(&output) + &crate::common::said(&output);
        assert!(words.contains("the copy's own clock"), "{line}: {words}");
        assert!(!output.status.success());
    }
    std::fs::remove_dir_all(folder.0.join("lab/clock")).unwrap();
    for line in ["trace hello", "bench --board=virt-aarch64-smp"] {
        let cause = "the clock's sources cannot be read";
        fail(
            &mut in_copy(&folder, line),
            2,
            cause,
            "git checkout lab/clock",
        );
    }
}

#[test]
fn the_tool_holds_no_path_of_the_tree_that_it_was_built_in() {
    let tool = std::fs::read(env!("CARGO_BIN_EXE_taktos")).unwrap();
    let root = root().canonicalize().unwrap();
    let path = root.as_os_str().as_encoded_bytes();
    assert!(
        !tool.windows(path.len()).any(|window| window == path),
        "{}",
        root.display()
    );
}

#[test]
fn the_doctor_tells_old_emulators_from_missing_ones_and_takes_newer_ones() {
    for (version, state, words) in [
        (
            "7.2.15",
            "too old",
            "is version 7.2.15, but the clock needs 10.0 or newer",
        ),
        ("10.1.2", "present", "QEMU 10.1.2 is newer than 10.0"),
        ("10.0.5", "present", "QEMU 10.0.5, the clock builds"),
    ] {
        let folder = Folder::new("versions");
        folder.emulators(".", version);
        let path = format!("{}:{}", folder.0.display(), std::env::var("PATH").unwrap());
        let output = taktos("doctor").env("PATH", path).output().unwrap();
        let table = crate::common::printed(&output);
        for program in [
            "qemu-system-arm",
            "qemu-system-aarch64",
            "qemu-system-riscv64",
        ] {
            let row = table
                .lines()
                .find(|line| line.contains(&format!("{program} 10.0 or newer")));
            let row = row.unwrap_or_else(|| panic!("{table}"));
            assert!(row.contains(state) && row.contains(words), "{row}");
        }
        assert_eq!(output.status.success(), state == "present", "{table}");
    }
}

#[test]
fn a_newer_emulator_is_warned_of_once() {
    let folder = Folder::new("newer");
    folder.emulators(".", "10.1.2");
    let compiler = "while [ \"$1\" != -o ]; do shift; done; echo >\"$2\"";
    folder.program("cc", "");
    folder.file("cc", &format!("#!/bin/sh\n{compiler}\n"));
    let output = taktos("bench --out")
        .arg(folder.0.join("out"))
        .env("PATH", &folder.0)
        .env("CARGO_TARGET_DIR", folder.0.join("target"))
        .output()
        .unwrap();
    let said = crate::common::said(&output);
    assert_eq!(
        said.matches("warning: QEMU 10.1.2 is newer than 10.0")
            .count(),
        1,
        "{said}"
    );
    assert!(said.contains("cargo does not start"), "{said}");
}

#[test]
fn the_boards_that_a_command_takes_are_those_it_names() {
    for (line, cause, named, not) in [
        (
            "bench --board nosuch",
            "unknown board `nosuch`",
            "virt-aarch64-smp",
            "leon3",
        ),
        (
            "bench --board nosuch",
            "unknown board `nosuch`",
            "virt-aarch64-el2",
            "leon3",
        ),
        (
            "trace hello --board nosuch",
            "unknown board `nosuch`",
            "virt-riscv64-smp",
            "el2",
        ),
        (
            "run experiments/ipc.toml --board virt-aarch64-smp",
            "the board virt-aarch64-smp has several processors, and this runs on one",
            "mps2-an386",
            "smp",
        ),
        (
            "latency --board mps2-an386",
            "the board mps2-an386 has one processor, and this runs on several",
            "virt-aarch64-smp",
            "mps2",
        ),
    ] {
        let output = taktos(line).output().unwrap();
        refuse(line, cause, named);
        let said = crate::common::said(&output);
        let hint = said
            .lines()
            .find(|line| line.starts_with("hint: "))
            .unwrap();
        assert!(!hint.contains(not), "{said}");
        // Each board that the hint names is known.
        for board in hint
            .trim_start_matches("hint: name ")
            .split([' ', ','])
            .filter(|word| word.contains('-'))
        {
            let (words, _) = line.rsplit_once(' ').unwrap();
            let empty = Folder::new("no-emulator");
            let mut command = taktos(&format!("{words} {board}"));
            command
                .arg("--out")
                .arg(empty.0.join("out"))
                .env("PATH", &empty.0);
            fail(&mut command, 2, "is not installed", "./taktos");
        }
    }
}

#[test]
fn a_file_for_another_command_is_told_so() {
    let (experiment, set, machine) = (
        "experiments/ipc.toml",
        "experiments/onboard.toml",
        "experiments/two-guests.toml",
    );
    for (command, file, what, right) in [
        ("sim", experiment, "an experiment", "run"),
        ("sim", "experiments/hypervisor.toml", "an experiment", "run"),
        ("sim", machine, "a machine with guests", "vm run"),
        ("run", machine, "a machine with guests", "vm run"),
        ("vm check", experiment, "an experiment", "run"),
        ("vm run", set, "a task set", "sim"),
        ("vm check", "experiments/guests.toml", "a task set", "sim"),
    ] {
        let cause = format!("{file} is {what}, which is for another");
        let hint = format!("taktos {right} {file}");
        refuse(&format!("{command} {file}"), &cause, &hint);
    }
}

#[test]
fn a_negative_number_is_no_option() {
    for line in [
        "sim experiments/onboard.toml --cpus -1",
        "sim experiments/onboard.toml --for -10s",
    ] {
        refuse(line, "is negative", "that is not");
    }
}

/// The examples of a help page and of those below it.
fn examples(page: &str) -> Vec<String> {
    let help = succeed(&mut taktos(&format!("{page} --help")));
    let mut found: Vec<String> = help
        .lines()
        .filter_map(|line| line.strip_prefix("  taktos "))
        .map(|line| line.split("   ").next().unwrap_or(line).to_owned())
        .collect();
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    for line in commands.take_while(|line| line.starts_with("  ")) {
        let name = line.split_whitespace().next().unwrap();
        found.extend(examples(&format!("{page} {name}")));
    }
    found
}

#[test]
fn every_example_of_every_help_page_works_as_far_as_without_an_emulator() {
    let found = examples("");
    assert!(found.len() > 25, "{found:?}");
    for example in found {
        let folder = Folder::new("example");
        let mut words: Vec<&str> = example.split(' ').collect();
        let out = folder.0.join("out").display().to_string();
        match words.iter().position(|word| *word == "--out") {
            Some(place) => words[place + 1] = &out,
            None if words[0] == "doctor"
                || words.contains(&"check")
                || words.contains(&"--scenario") => {}
            // It writes into the current folder.
            None if ["new", "install"].contains(&words[0]) => {}
            None if words[0] == "segment" => words.extend(["--for", "10ms"]),
            None => words.extend(["--out", &out]),
        }
        let mut command = taktos(&words.join(" "));
        if ["new", "install"].contains(&words[0]) {
            let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
            command.env("TAKTOS_ROOT", root).current_dir(&folder.0);
        }
        let output = command.env("PATH", &folder.0).output().unwrap();
        let said = crate::common::said(&output);
        let lacks = said.contains("is not installed")
            || said.contains("does not start")
            || words[0] == "doctor";
        assert!(output.status.success() || lacks, "{example}: {said}");
    }
}
