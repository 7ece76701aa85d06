//! Sets up Linux in a folder and runs a job on the bare emulated machine:
//!
//! ```text
//! cargo run -p taktos-linux --example native -- target/linux real-time cyclictest 5000 250
//! ```
//!
//! Arguments: the folder, the kernel (`real-time` or `ordinary`), the job (`shell`, `busy`,
//! `cyclictest`, `busy+cyclictest`), loops and phase.

#![forbid(unsafe_code)]

use std::path::Path;
use std::process::{Command, ExitCode};

use taktos_linux::{Job, Kernel, Linux, Test, native};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |n: usize| words.get(n).map_or("", String::as_str);
    let number = |n: usize, otherwise| word(n).parse().unwrap_or(otherwise);
    let folder = if word(0).is_empty() {
        "target/linux"
    } else {
        word(0)
    };
    let linux = match Linux::set_up(Path::new(folder), &mut |line| eprintln!("{line}")) {
        Ok(linux) => linux,
        Err(error) => {
            eprintln!("error: {error}\nhint: {}", error.hint());
            return ExitCode::from(2);
        }
    };
    for package in linux.packages() {
        eprintln!("{} {}", package.name, package.version);
    }
    let kernel = match word(1) {
        "ordinary" => Kernel::Ordinary,
        _ => Kernel::RealTime,
    };
    let test = Test {
        loops: number(3, 5000),
        phase: number(4, 0),
        ..Test::default()
    };
    let job = match word(2) {
        "cyclictest" => Job::Cyclictest(test),
        "busy+cyclictest" => Job::BusyCyclictest(test),
        "busy" => Job::Busy { seconds: Some(5) },
        _ => Job::Shell,
    };
    let mut qemu = Command::new("qemu-system-aarch64");
    qemu.args(native(&linux, kernel, ("cortex-a57", 1), &job));
    match qemu.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(cause) => {
            eprintln!("error: qemu-system-aarch64 does not start: {cause}");
            ExitCode::from(2)
        }
    }
}
