//! The steps that put a hostile guest next to a victim with guaranteed time and memory: whatever
//! the hostile guest does, the victim gets what is guaranteed.
//!
//! Owns: which attacks meet which schedulers, and what must hold.
//! Must never know: how a machine is laid out, how a guest attacks.
//!
//! Times are of the emulated machine. One instruction takes 2^shift nanoseconds there: a slow
//! processor, so that a minute costs seconds. The hypervisor's own work is then as much slower,
//! which the tolerances include.

mod beside;
mod cases;
mod judge;
mod machine;

use anyhow::Result;
use taktos_runner::workspace::Workspace;

use super::{Tally, storms};
use cases::Case;
use machine::Images;

/// The cost of doorbells to a victim that takes no interrupts, and of a device's interrupts to one
/// that shares processors; partitions that stop themselves while one of their processors leaves;
/// each attack on victims under each scheduler; guests that are started again a thousand times; and
/// every attack in turn for a minute under RTDS, in long runs for an hour under both schedulers
/// with servers.
pub(super) fn attack(workspace: &Workspace, length: storms::Length) -> Result<Tally> {
    let images = Images::build(workspace)?;
    let mut found = beside::costs(&images)?;
    found.add(beside::stops(&images)?);
    for case in cases::all(length) {
        found.add(one(&images, &case));
    }
    Ok(found)
}

fn one(images: &Images, case: &Case) -> Tally {
    let heard = match machine::run(images, case) {
        Ok(heard) => heard,
        Err(error) => return Tally::fail(format!("{}: {error:#}\n", case.name)),
    };
    match judge::judge(case, &heard) {
        Ok(()) => Tally::pass(),
        Err(why) => {
            let lines = heard.lines.join("\n");
            Tally::fail(format!("{}: {why}; it said:\n{lines}\n", case.name))
        }
    }
}
