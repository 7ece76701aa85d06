//! Arguments of `taktos vm`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use taktos_simulate::file::text;
use taktos_time::Duration;

/// Shown after the help of `taktos vm`.
pub const VM_EXAMPLES: &str = "\
Examples:
  taktos vm run experiments/two-guests.toml               both consoles here; what is typed goes to one guest
  taktos vm check experiments/two-guests.toml             what lies where, who runs where, is it admitted?
  taktos vm check experiments/two-guests.toml --device-tree linux
  taktos vm run experiments/two-guests.toml --for 10s     ends by itself
  taktos vm run experiments/fifo-taktos.toml --virtual    a nanosecond an instruction: the same in each run
  taktos vm run experiments/fifo-taktos.toml --trace      who ran when, for ui.perfetto.dev

While guests run, every line on the console begins with the guest's name, and Ctrl-A is the
hypervisor's: then a digit or n chooses who gets what is typed, x ends the machine, ? says what
else there is. The machine ends when all guests are off.

A configuration begins small:
  [[partition]]
  name   = \"control\"
  memory = \"16 MiB\"
  image  = \"taktos:spacecraft\"
[machine], [[pool]], [[partition.vcpu]], [[partition.device]] and [[channel]] say more;
experiments/two-guests.toml shows them.";

/// Commands on a configuration.
#[derive(Subcommand, Debug)]
pub enum VmCommand {
    /// Build the hypervisor and the guests, and run them on one emulated machine
    Run(VmRun),
    /// Check a configuration and show what it comes to, without running it
    Check(VmCheck),
}

/// A run.
#[derive(Args, Debug)]
pub struct VmRun {
    /// The configuration, such as experiments/two-guests.toml
    pub configuration: PathBuf,
    /// Stop after TIME of host time; of virtual time with --virtual or --trace (default with
    /// --trace: 10s)
    #[arg(long = "for", value_name = "TIME", value_parser = text::duration)]
    pub horizon: Option<Duration>,
    /// Run even if admission refuses the configuration
    #[arg(long)]
    pub force: bool,
    /// Advance virtual time by 1 ns per instruction, instead of host time; several processors take
    /// turns of [machine] quantum
    #[arg(long = "virtual")]
    pub counted: bool,
    /// Record a scheduling trace of VCPUs and the threads of Taktos guests, in virtual time, in DIR
    /// (default: out/trace-NAME)
    #[arg(long, value_name = "DIR", conflicts_with = "print")]
    pub trace: Option<Option<PathBuf>>,
    /// Partition that receives the typed input at first
    #[arg(long, value_name = "PARTITION")]
    pub input: Option<String>,
    /// Where the files for the emulator go; default: out/vm/NAME
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the emulator's command line instead of running it
    #[arg(long)]
    pub print: bool,
}

/// A check.
#[derive(Args, Debug)]
pub struct VmCheck {
    /// The configuration, such as experiments/two-guests.toml
    pub configuration: PathBuf,
    /// Accept the configuration even if admission refuses it
    #[arg(long)]
    pub force: bool,
    /// Print this partition's device tree, and nothing else
    #[arg(long, value_name = "PARTITION")]
    pub device_tree: Option<String>,
}
