//! Owns: the signs by which an emulator's counter is known. Must never know: the reading of a
//! session.

use super::Session;

/// The nanoseconds of a second: what a counter counts that is the clock.
const CLOCK_HZ: u64 = 1_000_000_000;
/// How far a rate may be from another one to be the same, in thousandths.
const CLOSE: u64 = 1;
const NEAR: u64 = 20;

/// Returns why the counter is no hardware's; none if nothing indicates that.
pub(super) fn of(session: &Session) -> Option<String> {
    let counter = &session.counter;
    let machine = session.conditions.get("machine");
    if let Some(machine) = machine.filter(|machine| machine.contains("qemu")) {
        return Some(format!("the board says that its machine is {machine}"));
    }
    let rates = || session.rates.iter().map(|rate| per_second(*rate));
    if rates().any(|rate| rate == 0) {
        return Some(format!("{counter} stands still"));
    }
    let all = |hertz: u64, thousandths| rates().all(|rate| is_near(rate, hertz, thousandths));
    let stated = session.hertz;
    if all(CLOCK_HZ, CLOSE) && !is_near(stated, CLOCK_HZ, NEAR) {
        return Some(format!(
            "{counter} equals the clock, a nanosecond each (a board whose processor is so fast says so)"
        ));
    }
    if stated != 0 && !all(stated, NEAR) {
        let rate = rates().next().unwrap_or_default();
        return Some(format!(
            "{counter} counts {rate} in a second, and the board's processor has {stated} cycles"
        ));
    }
    let (loads, cycles) = session.loads;
    let least = loads.saturating_add(loads / 2);
    (cycles < least).then(|| {
        format!("{counter} counts instructions: {loads} loads, each of which waits for the one before it, took {cycles}")
    })
}

fn per_second((cycles, nanos): (u64, u64)) -> u64 {
    let rate = u128::from(cycles) * u128::from(CLOCK_HZ) / u128::from(nanos.max(1));
    u64::try_from(rate).unwrap_or(u64::MAX)
}

fn is_near(rate: u64, other: u64, thousandths: u64) -> bool {
    u128::from(rate.abs_diff(other)) * 1000 <= u128::from(other) * u128::from(thousandths)
}
