//! `taktos vm` as a person meets it: what is wrong with a configuration, what a check shows, and
//! a run with an emulator that only speaks.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::common::{Folder, fail, printed, said, succeed, taktos};

/// An ELF image for the processor: a segment of eight bytes where the guests' memory begins,
/// and the place of its tree left free.
fn elf() -> Vec<u8> {
    let mut file = vec![0u8; 64 + 56];
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"\x7fELF\x02\x01\x01");
    put(16, &[2, 0, 183, 0, 1, 0, 0, 0]);
    put(24, &0x4020_0000u64.to_le_bytes());
    put(32, &64u64.to_le_bytes());
    put(52, &[64, 0, 56, 0, 1, 0]);
    put(64, &1u32.to_le_bytes());
    put(64 + 8, &120u64.to_le_bytes());
    put(64 + 16, &0x4020_0000u64.to_le_bytes());
    put(64 + 24, &0x4020_0000u64.to_le_bytes());
    put(64 + 32, &8u64.to_le_bytes());
    put(64 + 40, &8u64.to_le_bytes());
    file.extend([0x13; 8]);
    file
}

const ONE: &str =
    "[[partition]]\nname = 'craft'\nmemory = '4 MiB'\nimage = 'guest'\narguments = 'two words'\n";

/// A folder with a configuration and its image.
fn folder(name: &str, text: &str) -> Folder {
    let folder = Folder::new(name);
    folder.file("x.toml", text);
    fs::write(folder.0.join("guest"), elf()).unwrap();
    folder
}

fn vm(folder: &Folder, what: &str, more: &str) -> Command {
    let file = folder.0.join("x.toml");
    taktos(&format!("vm {what} {} {more}", file.display()))
}

#[test]
fn what_is_wrong_is_named_with_line_and_mend() {
    let two = ONE.replace("craft", "other");
    for (text, cause, hint) in [
        (
            ONE.replace("memory", "memroy"),
            "x.toml:1: partition craft has no `memory`",
            "64 MiB",
        ),
        (
            format!("{ONE}colour = 'red'\n"),
            "x.toml:6: partition craft has no key `colour`",
            "known are",
        ),
        (
            format!("{ONE}{ONE}"),
            "x.toml:6: two partitions are called craft",
            "its own name",
        ),
        (
            format!("{ONE}address = 0x4200_0000\n{two}address = 0x4220_0000\n"),
            "overlaps that of craft",
            "begin at 0x42400000",
        ),
        (
            format!("[[pool]]\nname = 'p'\ncpus = 0\npolicy = 'null'\n{ONE}{two}"),
            "x.toml:10: VCPU 0 of other never runs",
            "more processors",
        ),
        (
            ONE.replace("'guest'", "'guset'"),
            "guset: cannot be read",
            "that is there",
        ),
        (
            ONE.replace("'guest'", "'x.toml'"),
            "x.toml: it is neither ELF nor Linux's Image",
            "name one",
        ),
        (
            ONE.replace("4 MiB", "2 MiB"),
            "the image does not fit",
            "give it 4 MiB",
        ),
    ] {
        let folder = folder("vm-wrong", &text);
        fail(&mut vm(&folder, "check", ""), 2, cause, hint);
    }
}

#[test]
fn what_admission_refuses_is_run_when_forced() {
    let server = "[[partition.vcpu]]\nperiod = '1 ms'\nbudget = '600 us'\n";
    let two = ONE.replace("craft", "other");
    let text =
        format!("[[pool]]\nname = 'p'\ncpus = 0\npolicy = 'rtds'\n{ONE}{server}{two}{server}");
    let folder = folder("vm-force", &text);
    let cause = "x.toml:18: VCPU 0 of other is not admitted by the interference test";
    fail(&mut vm(&folder, "check", ""), 2, cause, "--force");
    let output = vm(&folder, "check", "--force").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("remark: "), "{}", said(&output));
    assert!(printed(&output).contains("600 us in 1 ms, extra time"));
    assert!(printed(&output).contains("not admitted"));
}

#[test]
fn a_check_shows_who_runs_where_and_what_lies_where() {
    let folder = folder("vm-check", ONE);
    let shown = succeed(&mut vm(&folder, "check", ""));
    for words in [
        "1 processors cortex-a53, 1 GiB, timer floor 0 ns",
        "pool all: processors 0, credit2 (rate limit 1 ms, balanced)",
        "VCPU 0 of craft on 0, weight 256; waits natively",
        "0x041000000 - 0x0413fffff         4 MiB  memory of craft",
        "craft: starts at 0x40200000, device tree at 0x40000000",
    ] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    let tree = succeed(&mut vm(&folder, "check", "--device-tree craft"));
    assert!(tree.starts_with("/dts-v1/"), "{tree}");
    assert!(tree.contains("bootargs = \"two words\""), "{tree}");
    let cause = "--device-tree kraft: there is no such partition";
    fail(
        &mut vm(&folder, "check", "--device-tree kraft"),
        2,
        cause,
        "craft",
    );
}

/// Runs the configuration with an emulator that does what the script says, a cargo that
/// has built everything already, and this for its standard input.
fn run(name: &str, script: &str, input: &str, more: &[&str]) -> Output {
    let folder = folder(name, ONE);
    folder.program("cargo", "");
    folder.program("qemu-system-aarch64", "");
    let emulator = folder.0.join("qemu-system-aarch64");
    let version = "[ \"$1\" = --version ] && echo 'QEMU emulator version 10.0.2 (Debian)' && exit";
    fs::write(emulator, format!("#!/bin/sh\n{version}\n{script}\n")).unwrap();
    let built = folder
        .0
        .join("target/aarch64-unknown-none-softfloat/hypervisor");
    fs::create_dir_all(&built).unwrap();
    fs::write(built.join("hypervisor"), elf()).unwrap();
    let path = format!("{}:{}", folder.0.display(), std::env::var("PATH").unwrap());
    let out = folder.0.join("out").display().to_string();
    let mut command = vm(&folder, "run", &format!("--out {out}"));
    command
        .args(more)
        .env("PATH", path)
        .env("CARGO_TARGET_DIR", folder.0.join("target"));
    let streams = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = streams.spawn().unwrap();
    // An emulator that does not read it is gone, perhaps.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    if more.contains(&"--print") {
        assert!(folder.0.join("out/description.bin").is_file());
    }
    output
}

#[test]
fn the_console_passes_both_ways_and_what_became_of_guests_is_told() {
    let script = "printf '[craft] you said: '; cat; printf '\\r\\n[craft] @exit status=0\\r\\n[taktos] craft stopped: off\\r\\n'";
    let output = run("vm-run", script, "hello\x01n", &[]);
    assert!(output.status.success(), "{}", said(&output));
    let console =
        "[craft] you said: hello\x01n\r\n[craft] @exit status=0\r\n[taktos] craft stopped: off\r\n";
    assert_eq!(printed(&output), console);
    assert!(
        said(&output).ends_with("  craft  stopped: off; 2 lines\n"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_bad_end_is_a_failed_check_and_a_broken_emulator_an_error() {
    let fault = "echo '[taktos] craft stopped: fault at 0x0 (syndrome 0x2)'";
    let output = run("vm-fault", fault, "", &[]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("error: craft stopped: fault at 0x0"));
    let output = run("vm-broken", "echo no such machine >&2; exit 3", "", &[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(
        said(&output).contains("no such machine\n"),
        "{}",
        said(&output)
    );
    assert!(
        said(&output).contains("ended with exit status: 3"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_run_ends_when_its_time_is_over() {
    let output = run(
        "vm-for",
        "echo '[craft] hello'; exec sleep 600",
        "",
        &["--for", "300ms"],
    );
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(printed(&output), "[craft] hello\n");
    assert!(
        said(&output).ends_with("craft  was running; 1 lines\n"),
        "{}",
        said(&output)
    );
}

#[test]
fn where_time_is_virtual_the_clock_on_the_wall_ends_nothing() {
    let slow = "sleep 1; echo '[craft] at last'";
    let output = run("vm-virtual", slow, "", &["--virtual", "--for", "1ms"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(printed(&output), "[craft] at last\n");
}

#[test]
fn a_guest_that_said_nothing_is_named() {
    let output = run("vm-silent", "exec sleep 600", "", &["--for", "100ms"]);
    assert!(output.status.success(), "{}", said(&output));
    let words = "craft  was running; nothing was heard of it; a longer run: --for TIME\n";
    assert!(said(&output).ends_with(words), "{}", said(&output));
}

#[test]
fn the_emulators_line_is_printed_instead() {
    let counted = ["--print", "--virtual", "--for", "5 ms"];
    let output = run("vm-print", "echo started", "", &counted);
    let line = printed(&output);
    assert!(
        line.starts_with("qemu-system-aarch64 -M virt,virtualization=on,gic-version=3 "),
        "{line}"
    );
    assert!(line.contains("-icount shift=0,sleep=off"), "{line}");
    // The clock ends the machine in its own time.
    assert!(line.contains(",time=counted,until=5000000"), "{line}");
    assert!(
        line.contains("description.bin,addr=0x40f00000,force-raw=on"),
        "{line}"
    );
    let output = run("vm-input", "echo started", "", &["--input", "linux"]);
    assert!(said(&output).contains("--input linux: there is no such partition"));
}

#[test]
fn an_image_for_another_machine_is_told_so() {
    for (at, byte, cause) in [
        (4, 1, "guest: it is for a 32-bit machine"),
        (5, 2, "guest: it is for big-endian processors"),
        (18, 62, "guest: it is for another processor"),
    ] {
        let folder = folder("vm-other", ONE);
        let mut image = elf();
        image[at] = byte;
        fs::write(folder.0.join("guest"), image).unwrap();
        fail(
            &mut vm(&folder, "check", ""),
            2,
            cause,
            "build it for aarch64",
        );
    }
}

#[test]
fn a_machine_whose_time_is_real_says_so_and_one_whose_time_is_counted_does_not() {
    let words = "time is the clock on the wall";
    let real = run("vm-real", "echo '[craft] 35 late'", "", &[]);
    assert_eq!(said(&real).matches(words).count(), 2, "{}", said(&real));
    assert!(said(&real).contains("--virtual"));
    let counted = run("vm-counted", "echo '[craft] 35 late'", "", &["--virtual"]);
    assert!(!said(&counted).contains(words), "{}", said(&counted));
}
