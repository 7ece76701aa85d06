//! Owns: the locations of the processors of a machine, and which are neighbours.
//! Must never know: what runs on them.

use crate::{Cpu, CpuSet};

/// The location of a processor. The numbers only say which processors share what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Its core: processors of one socket with the same number are hardware
    /// threads of one core.
    pub core: u16,
    /// Its socket.
    pub socket: u16,
    /// Its memory node.
    pub node: u16,
}

impl Place {
    /// Returns the place of processor `index` of a machine with one socket and one thread a core.
    pub const fn flat(index: usize) -> Self {
        Self {
            core: index as u16,
            socket: 0,
            node: 0,
        }
    }
}

/// The processors near one, itself included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neighbours {
    /// Threads of its core.
    pub(crate) core: CpuSet,
    /// Those of its socket.
    pub(crate) socket: CpuSet,
    /// Those of its memory node.
    pub(crate) node: CpuSet,
}

impl Neighbours {
    /// None yet.
    pub(crate) const NONE: Self = Self {
        core: CpuSet::EMPTY,
        socket: CpuSet::EMPTY,
        node: CpuSet::EMPTY,
    };

    /// Returns those of processor `index` of `topology`. Checks each processor once.
    pub(crate) fn of(topology: &[Place], index: usize) -> Self {
        let here = topology[index];
        let near = |is_near: fn(&Place, &Place) -> bool| {
            let all = topology.iter().enumerate();
            all.filter(|(_, place)| is_near(place, &here))
                .filter_map(|(index, _)| Cpu::new(index))
                .collect()
        };
        Self {
            core: near(|a, b| a.socket == b.socket && a.core == b.core),
            socket: near(|a, b| a.socket == b.socket),
            node: near(|a, b| a.node == b.node),
        }
    }
}

/// Processor 0: what a record names that names none.
pub(crate) const FIRST_CPU: Cpu = match Cpu::new(0) {
    Some(cpu) => cpu,
    None => unreachable!(),
};

/// `cpu` if it is in `set`, otherwise the next that is; `cpu` for an empty set.
pub(crate) fn nearest_in(set: CpuSet, cpu: Cpu) -> Cpu {
    if set.contains(cpu) {
        return cpu;
    }
    next_in(set, cpu).unwrap_or(cpu)
}

/// The processor of `set` that follows `cpu`, the lowest following the highest.
pub(crate) const fn next_in(set: CpuSet, cpu: Cpu) -> Option<Cpu> {
    let up_to = CpuSet::first(cpu.index() + 1);
    match set.minus(up_to).lowest() {
        None => set.lowest(),
        higher => higher,
    }
}

/// The processor of `set`, which is not empty, on which unit `index` starts when
/// nothing else decides: the index modulo their number, counted from the lowest.
/// Takes as many steps as there are processors in `set`.
pub(crate) fn home_in(set: CpuSet, index: usize) -> Option<Cpu> {
    set.into_iter().nth(index % set.count().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(index: usize) -> Cpu {
        Cpu::new(index).unwrap()
    }

    #[test]
    fn the_next_one_goes_round() {
        let set = CpuSet::from_bits(1 << 63 | 0b1010);
        assert_eq!(next_in(set, cpu(0)), Some(cpu(1)));
        assert_eq!(next_in(set, cpu(1)), Some(cpu(3)));
        assert_eq!(next_in(set, cpu(3)), Some(cpu(63)));
        assert_eq!(next_in(set, cpu(63)), Some(cpu(1)));
        assert_eq!(next_in(CpuSet::of(cpu(2)), cpu(2)), Some(cpu(2)));
        assert_eq!(next_in(CpuSet::EMPTY, cpu(2)), None);
        assert_eq!(nearest_in(set, cpu(1)), cpu(1));
        assert_eq!(nearest_in(set, cpu(2)), cpu(3));
        assert_eq!(nearest_in(CpuSet::EMPTY, cpu(2)), cpu(2));
    }

    #[test]
    fn neighbours_share_what_their_numbers_say() {
        let place = |core, socket, node| Place { core, socket, node };
        // Cores with the same number in different sockets are different cores.
        let topology = [
            place(0, 0, 0),
            place(0, 0, 0),
            place(1, 0, 0),
            place(0, 1, 0),
        ];
        let near = Neighbours::of(&topology, 0);
        assert_eq!(near.core.bits(), 0b0011);
        assert_eq!(near.socket.bits(), 0b0111);
        assert_eq!(near.node.bits(), 0b1111);
    }

    #[test]
    fn homes_are_dealt_round() {
        let set = CpuSet::from_bits(0b1011);
        let homes = [0, 1, 2, 3].map(|index| home_in(set, index).unwrap().index());
        assert_eq!(homes, [0, 1, 3, 0]);
    }
}
