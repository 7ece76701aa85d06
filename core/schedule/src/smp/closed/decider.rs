//! Owns: the choice between one processor and several. Must never know: how either decides.

use super::{Cluster, SEATS, Solo, World};
use crate::smp::Instance;
use crate::{CpuSet, ReadyQueue};
use core::cell::Cell;

/// What may decide about an instance: one of each kind, of which [`Router::new`](super::Router::new) takes the one that fits.
#[repr(C)]
pub struct Home<Id, Seat> {
    solo: Solo<Id, Seat>,
    cluster: Cluster<Id>,
    /// Whether the instance was given several processors.
    has_several: Cell<bool>,
    keeps: Cell<bool>,
    instance: Cell<u8>,
}

impl<Id: Copy + Eq, Seat: Copy> Home<Id, Seat> {
    /// That of an instance that is open, and has no thread.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const OPEN: Self = Self {
        solo: Solo::OPEN,
        cluster: Cluster::OPEN,
        has_several: Cell::new(false),
        keeps: Cell::new(false),
        instance: Cell::new(0),
    };

    pub(super) fn begin(&self, instance: Instance, has_several: bool, keeps: bool) {
        self.instance.set(instance.0);
        self.has_several.set(has_several);
        self.keeps.set(keeps);
    }

    /// Its instance.
    #[inline(always)]
    pub fn instance(&self) -> Instance {
        Instance(self.instance.get())
    }

    /// Whether READY threads stand in the rings here, be the instance open or closed: its policy is that of fixed priorities.
    #[inline(always)]
    pub fn keeps(&self) -> bool {
        self.keeps.get()
    }

    /// Who decides about it while it is closed.
    #[inline(always)]
    pub fn decider(&self) -> Decider<'_, Id, Seat> {
        if self.has_several.get() {
            Decider::Cluster(&self.cluster)
        } else {
            Decider::Solo(&self.solo)
        }
    }

    /// The queue that decides, and the seat of its processor, where the instance is closed and has one.
    #[inline(always)]
    pub fn solo(&self) -> Option<(&Solo<Id, Seat>, Seat)> {
        Some((&self.solo, self.solo.closed()?))
    }

    /// The seats that decide, where the instance is closed and has several.
    #[inline(always)]
    pub fn cluster(&self) -> Option<&Cluster<Id>> {
        self.cluster.is_closed().then_some(&self.cluster)
    }
}

/// Who decides about an instance while it is closed, and whose rings hold its READY threads while it is open.
#[derive(Clone, Copy)]
pub enum Decider<'a, Id, Seat> {
    /// For an instance that is closed while it has one processor, whatever its number.
    Solo(&'a Solo<Id, Seat>),
    /// For an instance that is closed while its processors have numbers below [`SEATS`].
    Cluster(&'a Cluster<Id>),
}

impl<Id, Seat> PartialEq for Decider<'_, Id, Seat> {
    /// Whether it is the very same one.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Solo(one), Self::Solo(other)) => core::ptr::eq(*one, *other),
            (Self::Cluster(one), Self::Cluster(other)) => core::ptr::eq(*one, *other),
            _ => false,
        }
    }
}

impl<Id, Seat> Eq for Decider<'_, Id, Seat> {}

impl<'a, Id: Copy + Eq, Seat: Copy> Decider<'a, Id, Seat> {
    /// Whether it decides.
    pub fn is_closed(self) -> bool {
        match self {
            Self::Solo(solo) => solo.closed().is_some(),
            Self::Cluster(cluster) => cluster.is_closed(),
        }
    }

    /// Whether it decides about the processor `cpu`.
    pub fn decides(self, cpu: usize) -> bool {
        match self {
            Self::Solo(solo) => solo.decides(cpu),
            Self::Cluster(cluster) => cluster.is_closed() && cluster.has(cpu),
        }
    }

    /// Whether it can decide about an instance that has the processors `cpus`.
    pub(super) fn fits(self, cpus: CpuSet) -> bool {
        match self {
            Self::Solo(_) => cpus.count() == 1,
            Self::Cluster(_) => !cpus.is_empty() && CpuSet::first(SEATS).covers(cpus),
        }
    }

    pub(super) fn ready(self) -> &'a ReadyQueue<Id> {
        match self {
            Self::Solo(solo) => solo.ready(),
            Self::Cluster(cluster) => cluster.ready(),
        }
    }

    /// It decides from now on, about the processors that are told of with [`Decider::seat`].
    pub(super) fn close(self) {
        match self {
            Self::Solo(_) => {}
            Self::Cluster(cluster) => cluster.close(),
        }
    }

    /// On `cpu` runs `heir`, which is in no ring; none stands for the idle thread. To be said of each processor, the owners by
    /// urgency, then the idle ones, the one that is to be taken first last.
    pub(super) fn seat<W: World<Id = Id, Seat = Seat>>(self, w: &W, cpu: usize, heir: Option<Id>) {
        match self {
            Self::Solo(solo) => solo.seat(w, cpu, heir),
            Self::Cluster(cluster) => cluster.seat(w, cpu, heir),
        }
    }

    /// It decides no longer. `tell` hears of each processor and its heir, which is in no ring, in the order of [`Decider::seat`]. The
    /// processors that stopped idling and have not idled since, the last one in the lowest eight bits.
    pub(super) fn open<W: World<Id = Id, Seat = Seat>>(
        self,
        w: &W,
        mut tell: impl FnMut(usize, Option<Id>),
    ) -> u64 {
        match self {
            Self::Solo(solo) => {
                let mut left = 0;
                solo.open(w, |cpu, heir| {
                    left = cpu as u64;
                    tell(cpu, heir);
                });
                left
            }
            Self::Cluster(cluster) => cluster.open(w, tell),
        }
    }

    /// Charges the heir of the processor `cpu`, about which it decides, until now.
    pub fn charge<W: World<Id = Id, Seat = Seat>>(self, w: &W, cpu: usize) {
        match self {
            Self::Solo(solo) => solo.charge_heir(w, w.seat(cpu)),
            Self::Cluster(cluster) => cluster.charge_heir(w, cpu),
        }
    }
}
