//! Partitions that fault in their first instruction, and are restarted by their supervisor each
//! time: others keep their time.
//!
//! Owns: what such a partition is; what is demanded of the time that is left. Must never know:
//! other cases, a board.

use super::{Checks, FIRST, PERIODS, REST, RESTARTS, WHILE, certain, fault, pause};
use core::convert::Infallible;
use core::ops::ControlFlow;
use core::sync::atomic::Ordering::Relaxed;
use taktos_kernel::fault::print;
use taktos_kernel::user::{AnyPartition, Partition, Policy, Supervisor};
use taktos_kernel::{Duration, Error, Kernel, System, Timeout};
use taktos_machine::Isolation;

/// The budget of such a partition: an amount and its period.
const BUDGET: [Duration; 2] = [Duration::from_millis(1), FIRST[1]];
/// Hundredths of all time that are left for less urgent threads next to one of them; and how many
/// fewer next to each other one.
const LEFT: u64 = 88;
const FEWER: u64 = 10;

/// Its thread.
pub extern "C" fn evader(_: &'static (), _: usize) -> ! {
    fault(0)
}

/// The partition as it is to be: restarted whenever its budget allows.
#[must_use]
pub const fn evading<S: System<Machine: Isolation>>(
    partition: Partition<S, ()>,
    supervisor: &'static Supervisor<S>,
) -> Partition<S, ()> {
    partition
        .budget(BUDGET[0], BUDGET[1])
        .supervised(Policy::Restart, supervisor)
        .restarts(u32::MAX, Duration::ZERO)
}

/// Lets each of them fault for a while, and then both; demands the time that is left.
pub(super) fn check<S: System<Machine: Isolation>>(checks: &mut Checks<S>) {
    let [small, large] = checks.objects.evading.map(|one| &**one);
    for partitions in [&[small][..], &[large], &[small, large]] {
        evade(checks, partitions);
    }
}

fn evade<S: System<Machine: Isolation>>(
    checks: &mut Checks<S>,
    partitions: &[&'static AnyPartition<S>],
) {
    pause::<S>();
    let usages = || partitions.iter().filter_map(|partition| partition.usage());
    let used = || usages().map(|usage| usage.time.as_micros()).sum::<u64>();
    let (begin, before) = (Kernel::<S>::now(), used());
    REST.store(0, Relaxed);
    partitions.iter().for_each(|one| certain(one.start()));
    let restarts = supervise(checks, partitions);
    let left = u64::from(REST.load(Relaxed));
    let time = checks.processors * Kernel::<S>::now().since(begin).as_micros();
    let owed = usages().map(|usage| usage.owed.as_micros()).sum::<u64>();
    let charged = used() - before;
    partitions.iter().for_each(|one| one.stop());
    let count = partitions.len() as u64;
    print::<S>(format_args!(
        "{restarts} restarts of {count} that evade: {charged} us, {owed} us of them owed, others {left} us of {time} us\n"
    ));
    checks.demand("it is started anew", restarts >= PERIODS * count);
    let share = PERIODS * BUDGET[0].as_micros() * count;
    // A period more has begun just before the end.
    checks.demand("its share", charged <= share + owed + RESTARTS * count);
    let others = LEFT - FEWER * (count - 1);
    checks.demand("the rest is others'", left * 100 >= time * others);
}

/// Serves the supervisor for a while. Returns how often a partition was restarted.
fn supervise<S: System<Machine: Isolation>>(
    checks: &mut Checks<S>,
    partitions: &[&'static AnyPartition<S>],
) -> u64 {
    let end = Kernel::<S>::now().saturating_add(Duration::from_millis(WHILE.into()));
    let mut told = [0_u64; 2];
    let supervisor = checks.objects.supervisor;
    let ended: Result<Infallible, _> =
        supervisor.serve(partitions, Timeout::until(end), |partition, _| {
            told[usize::from(!core::ptr::eq(partition, partitions[0]))] += 1;
            ControlFlow::Continue(())
        });
    checks.demand("all start anew", ended == Err(Error::Timeout));
    let told = &told[..partitions.len()];
    checks.demand("each is told", told.iter().all(|told| *told > 0));
    told.iter().sum()
}
