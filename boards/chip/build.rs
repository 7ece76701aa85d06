//! Describes the board for the linker, and for crates that build programs for it; and the machine
//! that the project's own programs run on.

use std::path::PathBuf;
use std::{env, fs};

/// Machines of the emulator, a line each: docs/chips.md explains the columns.
const MACHINES: &str = "machines.txt";
/// The variable by which the laboratory names one.
const NAME: &str = "TAKTOS_MACHINE";

fn main() {
    taktos_build::cortex_m(taktos_build::CortexM::Any);
    let is_own = env::var_os("CARGO_FEATURE_WORKLOADS").is_some();
    if is_own && env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        describe_machine();
    }
}

/// Writes the memory map of the machine, and sets its name and its rate for the crate.
fn describe_machine() {
    println!("cargo:rerun-if-changed={MACHINES}");
    println!("cargo:rerun-if-env-changed={NAME}");
    let machines = fs::read_to_string(MACHINES).expect("the tree has the machines");
    let asked = env::var(NAME).ok();
    let rows = machines.lines().filter(|line| !line.starts_with('#'));
    let mut rows = rows.map(|line| line.split_whitespace().collect::<Vec<_>>());
    let row = rows.find(|row| asked.as_deref().is_none_or(|asked| row[0] == asked));
    let Some([name, _, flash, flash_size, ram, ram_size, hertz]) = row.as_deref() else {
        let asked = asked.unwrap_or_default();
        println!("cargo::error={NAME} is {asked:?}: boards/chip/{MACHINES} has no such row");
        return;
    };
    println!("cargo:rustc-env=TAKTOS_BOARD={name}");
    println!("cargo:rustc-env=TAKTOS_HERTZ={hertz}");
    let out: PathBuf = env::var_os("OUT_DIR").expect("cargo says where").into();
    // Of Armv6-M none is above the kernel.
    let urgent = match env::var("TARGET") {
        Ok(target) if target.starts_with("thumbv6m") => "",
        _ => "PROVIDE(taktos_interrupt_8 = taktos_urgent_vector);",
    };
    let map = format!(
        "MEMORY\n{{\n  FLASH : ORIGIN = {flash}, LENGTH = {flash_size}\n  \
         RAM : ORIGIN = {ram}, LENGTH = {ram_size}\n}}\n\
         PROVIDE(_taktos_programs = {ram} + {ram_size} / 2);\n\
         {urgent}\n\
         PROVIDE(taktos_interrupt_13 = taktos_spare_interrupt);\n"
    );
    fs::write(out.join("memory.x"), map).expect("the output directory can be written");
}
