//! Arguments of `taktos install`.

use std::path::PathBuf;

use clap::Args;

/// Shown after the help of `taktos install`.
pub const INSTALL_EXAMPLES: &str = "\
Examples:
  taktos install sdk                           for every board that C programs can be for
  taktos install sdk --board mps2-an386

What is there then:
  include/                   cmsis_os2.h, taktos.h
  lib/BOARD/                 libtaktos.a, its linker script taktos.ld; lib/BOARD-hard/ with floating-point values in registers
  lib/BOARD-lto/             with --lto: the same for link-time optimisation, with clang
  lib/cmake/Taktos/          find_package(Taktos): targets Taktos::BOARD, taktos_emulate(), files for CMake's tool chains
  lib/pkgconfig/             taktos-BOARD.pc

A program of your own: taktos new blinky --c";

/// Libraries, headers and linker scripts for C programs.
#[derive(Args, Debug)]
pub struct InstallOptions {
    /// The folder: it is made, or what is installed there is replaced
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Only for this board, which may be given several times
    #[arg(long = "board", value_name = "BOARD", help = boards())]
    pub boards: Vec<String>,
    /// With clocks of threads' processor time (POSIX), which read the clock at each switch of
    /// threads
    #[arg(long)]
    pub processor_time: bool,
    /// Also install bitcode (lib/BOARD-lto/): link-time optimisation inlines its calls, in programs
    /// that clang compiles
    #[arg(long)]
    pub lto: bool,
}

fn boards() -> String {
    let names = taktos_emulator::Board::ALL.map(taktos_emulator::Board::name);
    format!(
        "Only for this board, which may be given several times: {}",
        names.join(", ")
    )
}
