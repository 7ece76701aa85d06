//! Arguments of `taktos new`.

use clap::Args;
use taktos_emulator::Board;

/// Shown after the help of `taktos new`.
pub const NEW_EXAMPLES: &str = "\
Examples:
  taktos new blinky                                    for mps2-an386, a Cortex-M4F
  taktos new blinky --board virt-riscv64
  taktos new blinky --c                                in C, with the calls of CMSIS-RTOS2
  taktos new blinky --loaded                           with a program that it loads into a partition
  taktos new blinky --guest                            a guest of the hypervisor's
  taktos new blinky --git URL --rev v0.1.0             Taktos from a repository: for others, and for CI

Then, in the new folder:
  cargo run              the program on its board, in the emulator
  cargo run --release    the same as it ships
  cargo test             the program on this machine, in virtual time

The folder is made where you are. The program takes Taktos from the tree of this tool, by its path, which needs
no network and sees what you change there; who else is to build the program needs --git.";

/// A program of one's own.
#[derive(Args, Debug)]
pub struct NewOptions {
    /// The program's name, which is that of its crate and of its folder
    pub name: String,
    /// The board that it is for.
    #[arg(long, value_name = "BOARD", default_value = Board::ALL[0].name(), help = boards())]
    pub board: String,
    /// A C program, with CMake
    #[arg(long, conflicts_with_all = ["hard_float", "git"])]
    pub c: bool,
    /// Two programs: one that is loaded into a partition, and one that loads it
    #[arg(long, conflicts_with_all = ["c", "hard_float"])]
    pub loaded: bool,
    /// A guest of the hypervisor, and the machine that it runs in (`taktos vm run guest.toml`)
    #[arg(long, conflicts_with_all = ["board", "c", "loaded", "hard_float"])]
    pub guest: bool,
    /// Hand floating-point values over in registers of their own (mps2-an386)
    #[arg(long)]
    pub hard_float: bool,
    /// Take Taktos from this git repository; default: from this tree, by its path
    #[arg(long, value_name = "URL")]
    pub git: Option<String>,
    /// The commit, tag or branch there; default: the newest, which Cargo.lock keeps
    #[arg(long, value_name = "REV", requires = "git")]
    pub rev: Option<String>,
}

fn boards() -> String {
    let names = taktos_runner::board::kernels().join(", ");
    format!("The board that it is for: {names}")
}
