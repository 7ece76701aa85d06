//! Owns: the table of layouts: how the processors are divided, and the settings of the threads that
//! are measured. Must never know: what is measured in them.

use super::PROCESSORS;
use taktos_kernel::{CpuSet, InstanceConfig, PolicyKind};

/// Division of the four processors into instances. A run of the program has one.
#[derive(Debug)]
pub struct Layout {
    /// Its name: the word by which the program selects it.
    pub name: &'static str,
    /// Its instances, for [`run_smp`](taktos_kernel::run_smp). Processor 0 is the first one's.
    pub instances: &'static [InstanceConfig],
    pub(super) parts: Parts,
    pub(super) told: Told,
}

/// Parts that are measured in a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Parts {
    /// All that is between instances, and all in the first one, before and after it lent seats;
    /// pairs in each of them at once.
    Instances,
    /// All that is in one instance of all processors, before and after it lent seats.
    Again,
    /// All that is in one instance of all processors.
    Cluster,
    /// Operations on one processor of an instance of all.
    Same,
    /// Operations that need affinities: wakes, moves and locks.
    Affinities,
    /// Operations on one processor of the first instance, while nothing happens in the second one,
    /// and while it uses all that spans processors and instances.
    Beside,
}

/// Parameters that threads get before they are measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Told {
    /// Nothing: their priorities are all there is.
    Nothing,
    /// Their deadlines, in the order of their priorities.
    Deadlines,
    /// Servers, with deadlines in the order of their priorities.
    Servers,
    /// That they may run on some of their instance's processors.
    Affinity,
    /// Their deadlines, and that they may run on one processor alone.
    Bound,
}

/// All of them.
pub static LAYOUTS: [Layout; 11] = [
    layout("partitioned", &PARTITIONED, Parts::Instances, Told::Nothing),
    layout("cluster", &CLUSTER, Parts::Again, Told::Nothing),
    layout("edf", &EDF, Parts::Cluster, Told::Nothing),
    layout("deadlines", &EDF, Parts::Same, Told::Deadlines),
    layout("servers", &CBS, Parts::Same, Told::Servers),
    layout("bound", &EDF, Parts::Same, Told::Bound),
    layout("simple", &SIMPLE, Parts::Same, Told::Nothing),
    layout("weak", &WEAK, Parts::Same, Told::Affinity),
    layout("affinity", &STRONG, Parts::Affinities, Told::Affinity),
    layout("one", &ONE_AND_THREE, Parts::Beside, Told::Nothing),
    layout("two", &TWO_AND_TWO, Parts::Beside, Told::Nothing),
];

impl Told {
    /// Whether threads are put on processors by their affinities.
    pub(super) fn is_affinity(self) -> bool {
        matches!(self, Self::Affinity | Self::Bound)
    }
}

impl Layout {
    /// The layout that the word names.
    pub fn named(name: &str) -> Option<&'static Self> {
        LAYOUTS.iter().find(|layout| layout.name == name)
    }

    /// How many processors the first instance has.
    pub(super) fn processors(&self) -> usize {
        self.instances.first().map_or(0, |first| first.cpus.count())
    }
}

static PARTITIONED: [InstanceConfig; PROCESSORS] = [
    instance(0, 1, PolicyKind::Priority),
    instance(1, 1, PolicyKind::Priority),
    instance(2, 1, PolicyKind::Priority),
    instance(3, 1, PolicyKind::Priority),
];
static CLUSTER: [InstanceConfig; 1] = [instance(0, PROCESSORS, PolicyKind::Priority)];
static EDF: [InstanceConfig; 1] = [instance(0, PROCESSORS, PolicyKind::Edf)];
static CBS: [InstanceConfig; 1] = [instance(0, PROCESSORS, PolicyKind::Cbs)];
static SIMPLE: [InstanceConfig; 1] = [instance(0, PROCESSORS, PolicyKind::Simple)];
static WEAK: [InstanceConfig; 1] = [instance(0, PROCESSORS, PolicyKind::PriorityAffinity)];
static STRONG: [InstanceConfig; 1] = [instance(0, PROCESSORS, PolicyKind::StrongAffinity)];
static ONE_AND_THREE: [InstanceConfig; 2] = [
    instance(0, 1, PolicyKind::Priority),
    instance(1, 3, PolicyKind::StrongAffinity),
];
static TWO_AND_TWO: [InstanceConfig; 2] = [
    instance(0, 2, PolicyKind::Priority),
    instance(2, 2, PolicyKind::StrongAffinity),
];

const fn layout(
    name: &'static str,
    instances: &'static [InstanceConfig],
    parts: Parts,
    told: Told,
) -> Layout {
    Layout {
        name,
        instances,
        parts,
        told,
    }
}

/// Returns the instance of `processors` processors from `first` on.
const fn instance(first: usize, processors: usize, policy: PolicyKind) -> InstanceConfig {
    InstanceConfig {
        name: [b'c', b'p', b'u', b'0' + first as u8],
        policy,
        cpus: CpuSet::from_bits(((1 << processors) - 1) << first),
    }
}
