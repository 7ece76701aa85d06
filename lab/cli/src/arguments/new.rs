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
  taktos new blinky --chip STM32F411CEUx               for a chip of your own, through a debug probe
  taktos new blinky --chip nRF52840_xxAA --no-hal      the same, without a crate for its pins
  taktos new blinky --git URL --rev v0.1.0             Taktos from a repository: for others, and for CI

Then, in the new folder:
  cargo run              the program on its board, in the emulator
  cargo run --release    the same as it ships
  cargo test             the program on this machine, in virtual time

With --chip, a light blinks, and a button makes it faster. memory.x has the memory map, src/chip.rs the
pins and the clock; `cargo run` writes the chip's flash and shows its console, by the tool probe-rs.
CHIP is the name on the chip, or its beginning. If several chips have it, or none, the error lists names.

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
    /// Any chip with a Cortex-M0, M3, M4, M7, M33, M55 or M85 instead of a board: its name
    #[arg(long, value_name = "CHIP", conflicts_with_all = ["board", "guest", "loaded"])]
    pub chip: Option<String>,
    /// Without the crate for the pins and devices of the chip's family (HAL: embassy-stm32,
    /// embassy-nrf, embassy-rp)
    #[arg(long, requires = "chip")]
    pub no_hal: bool,
    /// A C program, with CMake
    #[arg(long, conflicts_with_all = ["hard_float", "git"])]
    pub c: bool,
    /// Two programs: one that is loaded into a partition, and one that loads it
    #[arg(long, conflicts_with_all = ["c", "hard_float"])]
    pub loaded: bool,
    /// A guest of the hypervisor, and the machine that it runs in (`taktos vm run guest.toml`)
    #[arg(long, conflicts_with_all = ["board", "c", "loaded", "hard_float"])]
    pub guest: bool,
    /// Hand floating-point values over in registers of their own (mps2-an386, and chips with a
    /// floating-point unit)
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
