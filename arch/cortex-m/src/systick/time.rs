//! Owns: time, the alarm and slices by one counter that counts down and begins again. The counter
//! runs freely, with periods as long as it can count. It is moved nearer to zero if something is
//! due before its period ends. Must never know: registers, masks, threads.

use super::rate::{Moment, Rate};

/// A counter that counts down from its length less one to zero. At zero it raises a flag and its
/// interrupt, and then begins again.
pub trait Counter {
    /// Returns the counter's value. It is zero for one tick.
    fn value(&self) -> u32;

    /// Whether it has come to zero since the last look.
    fn has_wrapped(&self) -> bool;

    /// Moves it: reads its value `v`, and makes it begin again from [`moved`]`(v, change)`, `loss`
    /// ticks after that reading. The period after that one is as long as possible. Returns `v`. The
    /// flag is undefined from the reading on until the counter has begun again.
    fn shift(&self, change: i32) -> u32;

    /// Returns the ticks that pass, in [`Counter::shift`], from the reading until the counter
    /// begins again.
    fn loss(&self) -> u32;

    /// Makes its interrupt pending now.
    fn pend(&self);
}

/// The least that a counter is moved to: it must not come to zero before the length of the next
/// period is stored.
pub const LEAST: u32 = 32;

/// Returns the start value of a counter of 24 bits that was at `value` and is moved by `change`:
/// [`LEAST`] more, cut at 0 and 24 bits before.
pub fn moved(value: u32, change: i32) -> u32 {
    const MOST: i32 = (1 << 24) - 1;
    (value as i32).saturating_add(change).clamp(0, MOST) as u32 + LEAST
}

/// Events that are due.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Due {
    pub alarm: bool,
    pub slice: bool,
}

/// A shorter slice is lengthened, in ticks: otherwise the interrupts would leave no time to
/// threads.
const SHORTEST_SLICE: u32 = 2 * LEAST;

/// Time, by one counter. All positions are ticks since the counter was last at zero, or was moved.
pub struct Time {
    rate: Rate,
    /// When the present period began.
    begun: Moment,
    /// How many ticks it has.
    length: u32,
    /// When an alarm is wanted, in nanoseconds; [`NEVER`]: none is.
    alarm: u64,
    /// How many ticks a slice has; 0: there are none.
    slice: u32,
    /// The position at which the running slice ends.
    slice_end: Option<i32>,
    /// Whether the interrupt was seen to since something was due.
    is_armed: bool,
}

const NEVER: u64 = u64::MAX;

impl Time {
    /// Time that begins now, with a counter that begins a period of [`Rate::longest`] ticks.
    pub const fn new(rate: Rate) -> Self {
        Self {
            rate,
            begun: Moment::START,
            length: rate.longest(),
            alarm: NEVER,
            slice: 0,
            slice_end: None,
            is_armed: false,
        }
    }

    /// Nanoseconds since time began.
    pub fn now(&mut self, counter: &impl Counter) -> u64 {
        let position = self.position(counter);
        self.rate.after(self.begun, position).nanos
    }

    /// Requests an alarm at `at`; none cancels.
    pub fn set_alarm(&mut self, at: Option<u64>, counter: &impl Counter) {
        self.alarm = at.unwrap_or(NEVER);
        self.arm(counter);
    }

    /// Sets the time forward.
    pub fn advance(&mut self, nanos: u64, counter: &impl Counter) {
        self.begun.nanos += nanos;
        self.arm(counter);
    }

    /// Sets the length of slices, the first of which begins now; none stops them.
    pub fn set_slice(&mut self, nanos: Option<u64>, counter: &impl Counter) {
        let ticks = |nanos| self.rate.ticks(nanos);
        let length = nanos.map(|nanos| ticks(nanos).max(SHORTEST_SLICE));
        self.slice = length.unwrap_or(0);
        self.begin_slice(0, counter);
    }

    /// Lets the slice end in `left` ticks; 0 means a whole one, 1 means one that is over. The end
    /// of such a one was reported, and an interrupt more would come before the switch that is
    /// pending.
    pub fn begin_slice(&mut self, left: u32, counter: &impl Counter) {
        if left == 1 {
            self.slice_end = None;
            return;
        }
        let whole = self.slice;
        let ticks = if left == 0 { whole } else { whole.min(left) };
        let end = self.position(counter) + ticks;
        self.slice_end = (whole != 0).then_some(end as i32);
        self.arm(counter);
    }

    /// The ticks that are left of the slice; 1 of one that is over.
    pub fn slice_left(&mut self, counter: &impl Counter) -> u32 {
        let position = self.position(counter) as i32;
        self.slice_end.map_or(1, |end| (end - position).max(1)) as u32
    }

    /// The events that are due at the counter's interrupt: an alarm and the end of a slice once.
    /// [`Time::see_to_the_next`] is to
    /// follow.
    pub fn take_due(&mut self, counter: &impl Counter) -> Due {
        self.is_armed = false;
        let position = self.position(counter);
        let slice = self
            .slice_end
            .take_if(|end| *end <= position as i32)
            .is_some();
        let alarm = self.rate.after(self.begun, position).nanos >= self.alarm;
        if alarm {
            self.alarm = NEVER;
        }
        Due { alarm, slice }
    }

    /// Called after the events that were due. Makes the interrupt come again, unless a new alarm
    /// has done so.
    pub fn see_to_the_next(&mut self, counter: &impl Counter) {
        if !self.is_armed {
            self.arm(counter);
        }
    }

    /// Sees to it that the interrupt comes when something is due, or before.
    fn arm(&mut self, counter: &impl Counter) {
        self.is_armed = true;
        loop {
            let value = self.value(counter);
            let position = self.length - value;
            let next = self
                .next()
                .map_or(self.length, |next| next.min(self.length));
            if next == self.length {
                // The interrupt at the end of the period is early enough.
                return;
            }
            if next <= position {
                counter.pend();
                return;
            }
            let change = next as i32 - self.length as i32 - (counter.loss() + 1 + LEAST) as i32;
            let seen = counter.shift(change);
            let in_time = seen <= value;
            if !in_time {
                // The period ended just before the counter was moved, and the next is a long one.
                self.wrap();
            }
            self.begin(self.length - seen + counter.loss(), moved(seen, change) + 1);
            if in_time {
                return;
            }
        }
    }

    /// The position of what is due next.
    fn next(&self) -> Option<u32> {
        let alarm = match self.alarm {
            NEVER => None,
            alarm => self.rate.until(alarm, self.begun),
        };
        let slice = self.slice_end.map(|end| end.max(0) as u32);
        alarm.into_iter().chain(slice).min()
    }

    fn position(&mut self, counter: &impl Counter) -> u32 {
        // Only then is it known of which period this is.
        let value = self.value(counter);
        self.length - value
    }

    /// The counter's value in the present period. A value belongs to the period that both reads of
    /// the flag agree on, the one before and the one after it.
    fn value(&mut self, counter: &impl Counter) -> u32 {
        loop {
            let value = counter.value();
            if counter.has_wrapped() {
                self.wrap();
            } else if value != 0 {
                return value;
            }
        }
    }

    /// The period has ended: the next one has begun at its end, and is a long one.
    fn wrap(&mut self) {
        self.begin(self.length, self.rate.longest());
    }

    /// A period of `length` ticks has begun, `position` ticks after the last one did.
    fn begin(&mut self, position: u32, length: u32) {
        self.begun = self.rate.after(self.begun, position);
        self.length = length;
        // How long ago a slice ended hardly matters.
        let rebased = |end: i32| end.saturating_sub(position as i32);
        self.slice_end = self.slice_end.map(rebased);
    }
}
