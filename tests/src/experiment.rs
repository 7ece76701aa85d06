//! Owns: what the experiments' workloads need of the host with several processors.

use crate::leak;
use crate::several::{SeveralHost, run_on};
use std::cell::RefCell;
use taktos_arch_host::{HostSeveral, Order, Outcome};
use taktos_kernel::{Duration, InstanceConfig};
use taktos_workloads::command_line::{CommandLine, Line};
use taktos_workloads::experiment::ExperimentBoard;

thread_local! {
    static LINE: RefCell<String> = const { RefCell::new(String::new()) };
}

impl CommandLine for SeveralHost {
    fn command_line(buffer: &mut Line) -> &str {
        LINE.with_borrow(|line| {
            let written = buffer[..line.len()].write_copy_of_slice(line.as_bytes());
            core::str::from_utf8(written).expect("it was a text before")
        })
    }
}

impl ExperimentBoard for SeveralHost {
    /// The host's time is not spent by instructions.
    fn work(span: Duration) -> u64 {
        HostSeveral::spend(span);
        span.as_nanos()
    }
}

/// Runs a workload on four processors, as `line` says: first `configure`, then `run` in the main
/// thread.
pub fn run_workload(
    line: &str,
    configure: impl FnOnce() -> ([InstanceConfig; 4], usize),
    run: impl FnOnce() + 'static,
) -> Outcome {
    LINE.set(line.to_owned());
    let (instances, count) = configure();
    run_on::<4>(Order::Turns, &leak(instances)[..count], run)
}
