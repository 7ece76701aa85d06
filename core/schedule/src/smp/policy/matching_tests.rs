//! A board of threads on processors, driven by the searches, against two
//! oracles that share nothing with them: all assignments (small boards), and a
//! greedy choice from scratch by augmenting paths (large ones).

extern crate std;

use core::cell::Cell;
use std::vec::Vec;

use super::{ArrivalKind, Seats, arrival, classify_arrival, departure};
use crate::{Cpu, CpuSet};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Place {
    Away,
    Ready,
    On(Cpu),
}

#[derive(Clone, Copy, Debug)]
struct Member {
    key: u64,
    allowed: CpuSet,
    place: Place,
}

struct Board {
    owned: CpuSet,
    on: [Option<usize>; Cpu::COUNT],
    members: Vec<Member>,
    looks: Cell<usize>,
    next_key: u64,
}

impl Seats for Board {
    type Key = u64;

    fn allowed(&self, cpu: Cpu) -> CpuSet {
        self.looks.set(self.looks.get() + 1);
        self.on[cpu.index()].map_or(CpuSet::EMPTY, |member| self.members[member].allowed)
    }

    fn key(&self, cpu: Cpu) -> Option<u64> {
        self.looks.set(self.looks.get() + 1);
        self.on[cpu.index()].map(|member| self.members[member].key)
    }
}

impl Board {
    fn new(cpus: usize, members: usize) -> Self {
        let member = Member {
            key: 0,
            allowed: CpuSet::ALL,
            place: Place::Away,
        };
        Self {
            owned: CpuSet::first(cpus),
            on: [None; Cpu::COUNT],
            members: std::vec![member; members],
            looks: Cell::new(0),
            next_key: 0,
        }
    }

    fn put(&mut self, member: usize, cpu: Cpu) {
        assert!(self.on[cpu.index()].replace(member).is_none());
        assert!(self.members[member].allowed.contains(cpu));
        self.members[member].place = Place::On(cpu);
    }

    fn take(&mut self, cpu: Cpu) -> usize {
        let member = self.on[cpu.index()].take().unwrap();
        self.members[member].place = Place::Ready;
        member
    }

    fn follow(&mut self, route: &super::Route, newcomer: usize) {
        for (from, to) in route.shifts() {
            let member = self.take(from);
            self.put(member, to);
        }
        self.put(newcomer, route.first());
    }

    fn arrive(&mut self, member: usize) {
        let Member { allowed, key, .. } = self.members[member];
        self.members[member].place = Place::Ready;
        let looks = self.looks.get();
        let seen = classify_arrival(self, self.owned, allowed, key);
        self.looks.set(looks);
        let found = arrival(self, self.owned, allowed, key);
        match seen {
            ArrivalKind::Waits => assert!(found.is_none(), "it has to wait"),
            ArrivalKind::Takes(cpu) => {
                let ends = found.map(|route| (route.first(), route.last()));
                assert_eq!(ends, Some((cpu, cpu)), "nobody shifts");
            }
            ArrivalKind::Unclear => {}
        }
        if let Some(route) = found {
            if self.on[route.last().index()].is_some() {
                self.take(route.last());
            }
            self.follow(&route, member);
        }
    }

    fn fill(&mut self, freed: Cpu) {
        let reach = departure(self, self.owned, freed);
        let ready = self.members.iter().enumerate();
        let best = ready
            .filter(|(_, member)| member.place == Place::Ready)
            .filter(|(_, member)| !member.allowed.and(reach.cpus()).is_empty())
            .min_by_key(|(_, member)| member.key)
            .map(|(index, member)| (index, member.allowed));
        if let Some((index, allowed)) = best {
            let route = reach.route(allowed).unwrap();
            assert_eq!(route.last(), freed);
            self.follow(&route, index);
        }
    }

    fn depart(&mut self, member: usize) {
        let place = core::mem::replace(&mut self.members[member].place, Place::Away);
        if let Place::On(cpu) = place {
            self.on[cpu.index()] = None;
            self.fill(cpu);
        }
    }

    fn scheduled(&self) -> Vec<usize> {
        let mut all: Vec<_> = self.on.iter().flatten().copied().collect();
        all.sort_unstable();
        all
    }

    fn present(&self) -> Vec<usize> {
        let mut all: Vec<_> = (0..self.members.len())
            .filter(|&index| self.members[index].place != Place::Away)
            .collect();
        all.sort_unstable_by_key(|&index| self.members[index].key);
        all
    }

    /// The greedy choice from scratch: each thread, the most urgent first, is kept if all that are
    /// kept can still run.
    fn greedy(&self) -> Vec<usize> {
        let mut on = [None; Cpu::COUNT];
        let mut kept = Vec::new();
        for member in self.present() {
            let mut seen = self.owned;
            if self.augment(member, &mut on, &mut seen) {
                kept.push(member);
            }
        }
        kept.sort_unstable();
        kept
    }

    fn augment(&self, member: usize, on: &mut [Option<usize>], open: &mut CpuSet) -> bool {
        for cpu in self.members[member].allowed {
            if !open.contains(cpu) {
                continue;
            }
            *open = open.without(cpu);
            let seat = on[cpu.index()];
            if seat.is_none_or(|other| self.augment(other, on, open)) {
                on[cpu.index()] = Some(member);
                return true;
            }
        }
        false
    }
}

/// All assignments of a small board: the best set and, for that set, the fewest
/// threads that must change their processor against `before`.
struct Brute<'a> {
    board: &'a Board,
    before: &'a [Option<Cpu>],
    order: Vec<usize>,
    best: Vec<bool>,
    moves: usize,
}

impl<'a> Brute<'a> {
    fn of(board: &'a Board, before: &'a [Option<Cpu>]) -> Self {
        let mut brute = Self {
            board,
            before,
            order: board.present(),
            best: Vec::new(),
            moves: usize::MAX,
        };
        brute.search(&mut Vec::new(), board.owned, 0);
        brute
    }

    fn search(&mut self, chosen: &mut Vec<bool>, free: CpuSet, moves: usize) {
        let Some(&member) = self.order.get(chosen.len()) else {
            // Lexicographically: the most urgent thread decides first.
            if *chosen > self.best || (*chosen == self.best && moves < self.moves) {
                (self.best, self.moves) = (chosen.clone(), moves);
            }
            return;
        };
        chosen.push(true);
        for cpu in self.board.members[member].allowed.and(free) {
            let moved = self.before[member].is_some_and(|before| before != cpu);
            self.search(chosen, free.without(cpu), moves + usize::from(moved));
        }
        chosen.pop();
        chosen.push(false);
        self.search(chosen, free, moves);
        chosen.pop();
    }

    fn set(&self) -> Vec<usize> {
        let pairs = self.order.iter().zip(&self.best);
        let mut set: Vec<_> = pairs
            .filter(|(_, kept)| **kept)
            .map(|(id, _)| *id)
            .collect();
        set.sort_unstable();
        set
    }
}

/// A counter, scrambled (SplitMix64): event i of seed s is the same for ever.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % sides as u64) as usize
    }

    fn mask(&mut self, owned: CpuSet) -> CpuSet {
        loop {
            let style = self.roll(4);
            let mask: CpuSet = match style {
                0 => owned,
                1 => owned.into_iter().filter(|_| self.roll(8) == 0).collect(),
                _ => owned.into_iter().filter(|_| self.roll(3) == 0).collect(),
            };
            if !mask.is_empty() {
                return mask;
            }
        }
    }
}

/// One random event; true when it is a single arrival or departure, for which
/// the fewest moves are promised.
fn event(board: &mut Board, dice: &mut Dice, cpus: usize) -> bool {
    let member = dice.roll(board.members.len());
    // Unique keys: eight levels, and the order of arrival within each.
    board.next_key += 1;
    let key = ((dice.roll(8) as u64) << 40) + board.next_key;
    match (board.members[member].place, dice.roll(8)) {
        (_, 0) => change_cpus(board, dice, cpus),
        (Place::Away, _) => {
            board.members[member].key = key;
            board.members[member].allowed = dice.mask(CpuSet::first(cpus));
            board.arrive(member);
            true
        }
        (Place::Ready, 1 | 2) => {
            board.members[member].key = key;
            board.arrive(member);
            true
        }
        (Place::On(_), 1 | 2) => {
            let allowed = dice.mask(CpuSet::first(cpus));
            board.depart(member);
            board.members[member].allowed = allowed;
            board.arrive(member);
            false
        }
        _ => {
            board.depart(member);
            true
        }
    }
}

fn change_cpus(board: &mut Board, dice: &mut Dice, cpus: usize) -> bool {
    let cpu = Cpu::new(dice.roll(cpus)).unwrap();
    if !board.owned.contains(cpu) {
        board.owned = board.owned.with(cpu);
        board.fill(cpu);
    } else if board.owned.count() > 1 {
        board.owned = board.owned.without(cpu);
        if board.on[cpu.index()].is_some() {
            let member = board.take(cpu);
            board.arrive(member);
        }
    }
    true
}

fn places(board: &Board) -> Vec<Option<Cpu>> {
    let places = board.members.iter().map(|member| match member.place {
        Place::On(cpu) => Some(cpu),
        _ => None,
    });
    places.collect()
}

#[test]
fn small_boards_agree_with_all_assignments_and_move_as_few_as_possible() {
    let (seeds, events) = if cfg!(miri) { (1, 20) } else { (60, 400) };
    for seed in 0..seeds {
        let mut dice = Dice(seed << 32);
        let cpus = 1 + dice.roll(4);
        let mut board = Board::new(cpus, 7);
        for _ in 0..events {
            let mut before = places(&board);
            let owned = board.owned;
            let single = event(&mut board, &mut dice, cpus);
            for place in &mut before {
                // One that must leave a lost processor does not count as moved.
                *place = place.filter(|&cpu| board.owned.contains(cpu) || !owned.contains(cpu));
            }
            let brute = Brute::of(&board, &before);
            assert_eq!(board.scheduled(), brute.set(), "seed {seed}");
            if single {
                let after = places(&board);
                let pairs = before.iter().zip(&after);
                let moved = pairs.filter(|(old, new)| old.is_some() && new.is_some() && old != new);
                assert_eq!(moved.count(), brute.moves, "seed {seed}");
            }
        }
    }
}

#[test]
fn large_boards_agree_with_a_greedy_choice_from_scratch() {
    let (seeds, events) = if cfg!(miri) { (1, 40) } else { (20, 50_000) };
    for seed in 0..seeds {
        let mut dice = Dice(seed << 40 | 7);
        let cpus = [2, 4, 8, 16, 32][dice.roll(5)];
        let mut board = Board::new(cpus, cpus * 3);
        for number in 0..events {
            event(&mut board, &mut dice, cpus);
            assert_eq!(
                board.scheduled(),
                board.greedy(),
                "seed {seed} event {number}"
            );
        }
    }
}

/// Thread i is on processor i and may go to i + 1 too: the longest of paths.
fn ladder(cpus: usize) -> Board {
    let mut board = Board::new(cpus, cpus + 1);
    for index in 0..cpus {
        let cpu = Cpu::new(index).unwrap();
        let next = Cpu::new((index + 1).min(cpus - 1)).unwrap();
        board.members[index].key = index as u64 + 10;
        board.members[index].allowed = CpuSet::of(cpu).with(next);
        board.put(index, cpu);
    }
    board
}

#[test]
fn arrival_looks_at_each_processor_once() {
    for cpus in [1, 2, 4, 8, 16, 32, 64] {
        let mut board = ladder(cpus);
        board.members[cpus].key = 1;
        board.members[cpus].allowed = CpuSet::first(1);
        board.arrive(cpus);
        // Two looks each, one at the key and one at the mask.
        assert!(
            board.looks.get() <= 2 * cpus,
            "{cpus}: {}",
            board.looks.get()
        );
        assert_eq!(
            board.members[0].place == Place::On(Cpu::new(1.min(cpus - 1)).unwrap()),
            cpus > 1
        );
        assert_eq!(board.members[cpus - 1].place, Place::Ready);
    }
}

#[test]
fn departure_looks_at_each_processor_at_most_once_a_layer() {
    for cpus in [1, 2, 4, 8, 16, 32, 64] {
        let mut board = ladder(cpus);
        board.members[cpus].key = 99;
        board.members[cpus].place = Place::Ready;
        board.members[cpus].allowed = CpuSet::first(1);
        board.looks.set(0);
        board.depart(cpus - 1);
        let looks = board.looks.get();
        assert!(looks <= cpus * (cpus - 1) / 2, "{cpus}: {looks}");
        assert_eq!(board.members[cpus].place, Place::On(Cpu::new(0).unwrap()));
    }
}

#[test]
fn departure_is_one_layer_when_all_may_stand_everywhere() {
    for cpus in [2, 8, 64] {
        let mut board = ladder(cpus);
        for member in &mut board.members {
            member.allowed = CpuSet::first(cpus);
        }
        board.depart(0);
        assert!(board.looks.get() < cpus, "{cpus}: {}", board.looks.get());
    }
}
