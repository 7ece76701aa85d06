//! Owns: the node that must make way, and the processors along which the others shift, if each
//! node may run only on some of them.
//! Must never know: the threads that wait.
//!
//! The nodes that run are a matching of nodes to processors; one exchange along one of the shortest
//! alternating paths restores the best of them after each arrival and departure.

use crate::rows::Key;
use std::collections::BTreeMap;
use taktos_schedule::{Cpu, CpuSet};

/// Paths by the numbers of the processors to which, or from which, they lead: the newcomer takes
/// the first processor, each holder shifts to the next, and the last is left by its holder or was
/// free.
pub(crate) type Paths = BTreeMap<usize, Vec<Cpu>>;

/// Returns the path of a newcomer that may run on `allowed` and has `key`: to the nearest free
/// processor that can be reached by shifting. If there is none, the path is to that of the least
/// urgent holder that can be reached, if that is less urgent. None: the newcomer waits. `seat`
/// returns the key of a processor's holder, unless that is an idle thread, and where it may run.
pub(crate) fn arrival(
    seat: impl Fn(Cpu) -> Option<(Key, CpuSet)>,
    owned: CpuSet,
    allowed: CpuSet,
    key: Key,
) -> Option<Vec<Cpu>> {
    let mut layer = allowed.and(owned);
    let mut paths: Paths = layer
        .into_iter()
        .map(|cpu| (cpu.index(), vec![cpu]))
        .collect();
    let mut worst: Option<(Key, usize)> = None;
    while !layer.is_empty() {
        let mut next = CpuSet::EMPTY;
        for cpu in layer {
            let Some((found, mask)) = seat(cpu) else {
                return paths.remove(&cpu.index());
            };
            worst = worst.max(Some((found, cpu.index())));
            for other in mask.and(owned) {
                if !paths.contains_key(&other.index()) {
                    let path = [&paths[&cpu.index()][..], &[other]].concat();
                    paths.insert(other.index(), path);
                    next = next.with(other);
                }
            }
        }
        layer = next;
    }
    let (worst, cpu) = worst?;
    paths.remove(&cpu).filter(|_| worst > key)
}

/// Returns the paths by which a thread can come, by shifting, to `freed`, by where they begin.
pub(crate) fn departure(
    seat: impl Fn(Cpu) -> Option<(Key, CpuSet)>,
    owned: CpuSet,
    freed: Cpu,
) -> Paths {
    let mut paths = Paths::from([(freed.index(), vec![freed])]);
    let mut layer = CpuSet::of(freed);
    while !layer.is_empty() {
        let mut next = CpuSet::EMPTY;
        for cpu in owned {
            let to = seat(cpu).and_then(|(_, mask)| mask.and(layer).lowest());
            if let Some(to) = to.filter(|_| !paths.contains_key(&cpu.index())) {
                let path = [&[cpu], &paths[&to.index()][..]].concat();
                paths.insert(cpu.index(), path);
                next = next.with(cpu);
            }
        }
        layer = next;
    }
    paths
}

/// The shortest of `paths` that begins on one of `allowed`.
pub(crate) fn shortest(paths: &Paths, allowed: CpuSet) -> Option<&Vec<Cpu>> {
    let begins = paths.values().filter(|path| allowed.contains(path[0]));
    begins.min_by_key(|path| path.len())
}
