//! Owns: the two ends of the channel between controller and segment, as a thread of either blocks
//! at them. Must never know: the transported data.

use crate::Objects;
use crate::plan::{Plan, Role};
use taktos_ethercat::channel::Port;
use taktos_kernel::{Duration, Instant, Kernel, Semaphore, Timeout};
use taktos_workloads::experiment::certain;
use taktos_workloads::guest::channel::{ChannelBoard, End};

/// A board with a channel to itself.
pub trait FieldBoard: ChannelBoard {
    /// The two ends of memory of the program itself, which is all zeros at the start.
    fn loopback() -> [End<Self::Memory>; 2];

    /// The file that the program was given; empty without one.
    fn file() -> &'static [u8] {
        &[]
    }
}

/// The place of a thread at the channel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The controller's.
    Control = 0,
    /// The segment's.
    Segment = 1,
}

/// An end of the channel.
pub struct Place<S: FieldBoard> {
    end: End<S::Memory>,
    /// The thread to wake at the other end: none if it is another partition.
    other: Option<&'static Semaphore<S>>,
    channel: usize,
    rang: &'static Semaphore<S>,
    /// Time of the machine's clock when the kernel's clock began.
    began: Duration,
}

impl<S: FieldBoard> Place<S> {
    /// The end of `side`.
    pub fn new(objects: &'static Objects<S>, plan: &Plan, side: Side) -> Self {
        let [own, other] = match side {
            Side::Control => [0, 1],
            Side::Segment => [1, 0],
        };
        let both = plan.role == Role::Both;
        let end = match both {
            true => S::loopback()[own],
            false => certain(S::channel(plan.channel).ok_or("there is no such channel")),
        };
        Self {
            end,
            other: both.then_some(&objects.rang[other]),
            channel: plan.channel,
            rang: &objects.rang[own],
            began: S::machine_time().since(Kernel::<S>::now()),
        }
    }
}

impl<S: FieldBoard> Port for Place<S> {
    type Memory = S::Memory;

    fn end(&self) -> (&Self::Memory, usize, usize) {
        (&self.end.memory, self.end.bytes, self.end.number)
    }

    fn ring(&self) {
        match self.other {
            // A permit that is there already says the same.
            Some(rang) => drop(rang.give()),
            None => S::ring(self.channel),
        }
    }

    fn now(&self) -> Instant {
        S::machine_time()
    }

    fn wait(&self, until: Instant) {
        let timeout = match until.as_nanos().checked_sub(self.began.as_nanos()) {
            None => Timeout::NONE,
            Some(_) if until == Instant::MAX => Timeout::FOREVER,
            Some(at) => Timeout::until(Instant::from_nanos(at)),
        };
        // The waiting caller checks both, whether the bell rang or the time is over.
        let _ = self.rang.take(timeout);
    }
}
