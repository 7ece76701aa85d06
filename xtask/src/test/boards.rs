//! Which boards the steps choose.
//!
//! Owns: the boards that represent others: their architecture, their kind, the chips that have four
//! processors like them; and that in long runs each board represents itself alone. Must never know:
//! what a step does on a board.

use taktos_emulator::Board;
use taktos_runner::several::Board as Several;

use super::storms::Length;

/// One of each architecture.
pub(super) const ARCHITECTURES: [Board; 4] = [
    Board::MPS2_AN386,
    Board::REALVIEW_PB_A8,
    Board::VIRT_AARCH64,
    Board::VIRT_RISCV64,
];

/// One of each kind with partitions: of a processor, with its timers, and its means to protect
/// memory. The others, of chips, differ from these in places alone.
pub(super) const KINDS: [Board; 7] = [
    Board::MPS2_AN385,
    Board::MPS2_AN386,
    Board::MPS3_AN547,
    Board::STM32L475_IOT01,
    Board::REALVIEW_PB_A8,
    Board::VIRT_AARCH64,
    Board::VIRT_RISCV64,
];

/// Boards with one processor beside [`KINDS`] that short runs have: each other processor, interrupt
/// controller, and way in which an image begins. The rest differ from these in devices alone.
const OTHERS: [Board; 3] = [Board::CORTEX_M0, Board::ZCU102, Board::IMX8MP_EVK];

/// Chips with four processors that begin in a way of their own: by a table of words, and without
/// any firmware. The properties particular to the others are known by these and by the thorough
/// boards: how firmware starts a processor, and both interrupt controllers.
const CHIPS: [Board; 2] = [Board::RASPBERRY_PI_4, Board::HIFIVE_UNLEASHED];

/// The boards with one processor for what is each architecture's; all in long runs.
pub(super) fn of_architectures(length: Length) -> Vec<Board> {
    chosen(length, &ARCHITECTURES)
}

/// Those for what is each kind's; all in long runs.
pub(super) fn of_kinds(length: Length) -> Vec<Board> {
    chosen(length, &KINDS)
}

/// The boards with one processor on which the kernel's suite and the test of the port run, and of
/// which the lints look at the sources.
pub(super) fn of_kernel(length: Length) -> Vec<Board> {
    match length {
        Length::Long => Board::all().collect(),
        Length::Short => [&KINDS[..], &OTHERS].concat(),
    }
}

/// Whether the documentation of a crate is made: of a board's, where the lints have looked at it.
pub(super) fn is_documented(package: &str, length: Length) -> bool {
    let shown = of_kernel(length);
    let mut left_out = Board::ALL.iter().filter(|board| !shown.contains(board));
    left_out.all(|board| package.strip_prefix("taktos-board-") != Some(board.name()))
}

fn chosen(length: Length, some: &[Board]) -> Vec<Board> {
    match length {
        // Of the machines for any chip only those that are named: they are one crate.
        Length::Long => {
            let chips = some.iter().filter(|board| !Board::ALL.contains(board));
            Board::ALL.iter().chain(chips).copied().collect()
        }
        Length::Short => some.to_vec(),
    }
}

/// The boards with four processors: in long runs the chips', too.
pub(super) fn of_four(length: Length) -> impl Iterator<Item = Several> {
    let chips = matches!(length, Length::Long).then(Several::of_chips);
    Several::thorough().chain(chips.into_iter().flatten())
}

/// The chips with four processors; in long runs all.
pub(super) fn chips(length: Length) -> impl Iterator<Item = Several> {
    Several::of_chips().filter(move |board| match length {
        Length::Long => true,
        Length::Short => CHIPS.contains(&board.machine),
    })
}

/// Whether a board with four processors has the `place`th of what is the same on all of them: in
/// short runs these share it.
pub(super) fn has_share(board: Several, place: usize, length: Length) -> bool {
    let own = Several::thorough().position(|one| one == board);
    let boards = Several::thorough().count();
    match length {
        Length::Long => true,
        Length::Short => own.is_none_or(|own| place % boards == own),
    }
}

#[cfg(test)]
mod tests {
    use taktos_emulator::Processor;

    use super::*;

    #[test]
    fn a_kind_has_an_architecture_and_every_architecture_is_there() {
        let has_partitions = |board: &Board| {
            let processor = board.processor();
            processor.is_some_and(Processor::has_partitions)
        };
        let all: Vec<Board> = Board::all().filter(has_partitions).collect();
        let of = |boards: &[Board]| {
            let mut triples: Vec<&str> = boards.iter().map(|board| board.triple()).collect();
            triples.sort_unstable();
            triples.dedup();
            triples
        };
        assert_eq!(of(&KINDS), of(&all));
        assert!(ARCHITECTURES.iter().all(|board| KINDS.contains(board)));
    }

    #[test]
    fn shares_are_all_in_short_runs_and_each_is_all_in_long_ones() {
        for place in 0..5 {
            let boards = |length| {
                let all = Several::thorough();
                all.filter(move |board| has_share(*board, place, length))
            };
            assert_eq!(boards(Length::Short).count(), 1, "{place}");
            assert_eq!(boards(Length::Long).count(), 2, "{place}");
        }
    }

    #[test]
    fn chips_are_tried_in_short_runs_and_all_in_long_ones() {
        assert_eq!(chips(Length::Short).count(), CHIPS.len());
        assert_eq!(chips(Length::Long).count(), Several::of_chips().count());
    }
}
