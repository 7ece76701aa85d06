//! Owns: what the experiments' workloads need of the host with several processors.

use crate::leak;
use crate::several::{SeveralHost, run_on};
use std::cell::RefCell;
use taktos_arch_host::{HostSeveral, Order, Outcome};
use taktos_kernel::{Duration, InstanceConfig};
use taktos_workloads::experiment::{ExperimentBoard, LONGEST_LINE};

thread_local! {
    static LINE: RefCell<String> = const { RefCell::new(String::new()) };
}

impl ExperimentBoard for SeveralHost {
    fn command_line(buffer: &mut [u8; LONGEST_LINE]) -> &str {
        LINE.with_borrow(|line| {
            buffer[..line.len()].copy_from_slice(line.as_bytes());
            core::str::from_utf8(&buffer[..line.len()]).expect("it was a text before")
        })
    }

    /// The host's time is not spent by instructions.
    fn work(span: Duration) -> u64 {
        HostSeveral::spend(span);
        span.as_nanos()
    }
}

/// Runs a workload on four processors, as `line` says: first `configure`, then `run` in the main thread.
pub fn run_workload(
    line: &str,
    configure: impl FnOnce() -> ([InstanceConfig; 4], usize),
    run: impl FnOnce() + 'static,
) -> Outcome {
    LINE.set(line.to_owned());
    let (instances, count) = configure();
    run_on::<4>(Order::Turns, &leak(instances)[..count], run)
}
