//! Which board an image is made for, as far as its file shows.
//!
//! An image of this project's has symbols of its board's crate, and those of several processors if
//! it runs on several. Of any other one only the architecture is known.
//! Must never know: the use of the image.

use anyhow::Result;
use object::{Architecture, Object, ObjectSymbol};
use taktos_emulator::{Board as One, El2, Error, Machine};
use taktos_runner::failure::{Failure, one_line};
use taktos_runner::several::Board;
use taktos_runner::vm::GUESTS;
use taktos_runner::{board, image};

use crate::arguments::MachineOptions;

/// Symbol that only images of several processors have.
const OF_SEVERAL: &str = "TAKTOS_PROCESSORS";

/// The board that an image, or a program, is to run on.
#[derive(Debug)]
pub struct Chosen {
    /// The board.
    pub board: Board,
    /// Its image's architecture is all that speaks for it.
    guessed: Option<Architecture>,
}

impl Chosen {
    /// Returns the board of `named`, or the one that the image is made for. A program runs on the
    /// first board if none is named.
    ///
    /// A machine that is none of the boards takes any image of its architecture.
    ///
    /// # Errors
    /// When there is no such board, the file says that it is for another one, or a machine is named
    /// and it is no image.
    pub fn of(subject: &str, named: Option<&str>, machine: &MachineOptions) -> Result<Self> {
        let named = named.map(Board::of_any).transpose()?;
        let bytes = match image::is_elf(subject.as_ref()) {
            true => std::fs::read(subject).unwrap_or_default(),
            false => Vec::new(),
        };
        let Ok(file) = object::File::parse(bytes.as_slice()) else {
            machine.none()?;
            let first = || One::MPS2_AN386.into();
            return Ok(Self::sure(named.unwrap_or_else(first)));
        };
        let subject = one_line(subject);
        if let Some(name) = &machine.machine {
            let other = Machine::new(&file, name, machine.cpu.as_deref());
            let other = other.ok_or_else(|| nowhere(&subject, file.architecture()))?;
            let processors = machine.processors.map_or(1, usize::from);
            return Ok(Self::sure(Board {
                processors,
                ..One::Other(other).into()
            }));
        }
        let symbols = file.symbols().filter_map(|symbol| symbol.name().ok());
        match (told(&symbols.collect::<Vec<_>>()), named) {
            (Some(Told::Board(board)), None) => Ok(Self::sure(board)),
            (Some(Told::Board(board)), Some(other)) if board != other => Err(Failure::error(
                format!(
                    "{subject} is an image for the board {}, and --board says {}",
                    board.name, other.name
                ),
                format!("say --board {}, or nothing of the board", board.name),
            )),
            (Some(Told::Guest), _) => Err(Failure::error(
                format!("{subject} is a guest of the hypervisor: no board runs it alone"),
                "name it in a configuration, and trace that: taktos vm run FILE --trace; taktos vm --help shows one",
            )),
            (Some(Told::Hypervisor), _) => Err(Failure::error(
                format!("{subject} is the hypervisor, which does nothing without guests"),
                "trace it with them: taktos vm run FILE --trace; taktos vm --help shows such a file",
            )),
            (_, Some(board)) => fitting(&subject, &file, board).map(Self::sure),
            (None, None) => Self::guess(&subject, file.architecture()),
        }
    }

    const fn sure(board: Board) -> Self {
        Self {
            board,
            guessed: None,
        }
    }

    fn guess(subject: &str, architecture: Architecture) -> Result<Self> {
        let board = match architecture {
            Architecture::Aarch64 => One::VIRT_AARCH64,
            Architecture::Riscv64 => One::VIRT_RISCV64,
            Architecture::Arm => One::MPS2_AN386,
            other => return Err(nowhere(subject, other)),
        };
        Ok(Self {
            board: board.into(),
            guessed: Some(architecture),
        })
    }

    /// An error of the image's run, which may have been on the wrong board.
    pub fn explained(&self, error: anyhow::Error) -> anyhow::Error {
        if let One::Other(machine) = self.board.machine
            && let Some(Error::Refused(said)) = error.downcast_ref()
        {
            let emulator = self.board.machine.program();
            return Failure::error(
                format!("{emulator} does not run it: {said}"),
                format!(
                    "{emulator} -M help lists machines, and {emulator} -M {} -cpu help its processors",
                    machine.name()
                ),
            );
        }
        let Some(architecture) = self.guessed else {
            return error;
        };
        Failure::error(
            format!("{error:#}"),
            format!(
                "without --board an image of {} runs on {}; if it is made for another board, say --board with one of {}",
                name(architecture),
                self.board.name,
                boards(architecture)
            ),
        )
    }
}

/// Target that an image names.
enum Told {
    Board(Board),
    Guest,
    Hypervisor,
}

/// Returns the target of an image with these symbols: the board of this project with its crate in
/// the image.
fn told(symbols: &[&str]) -> Option<Told> {
    let has = |board: &str| {
        let parts = parts(board);
        let mut all = symbols.iter();
        all.any(|symbol| parts.iter().any(|part| contains(symbol, part)))
    };
    if has(GUESTS.0) {
        return Some(Told::Guest);
    }
    if has(El2::BOARD.0) {
        return Some(Told::Hypervisor);
    }
    let several = symbols.contains(&OF_SEVERAL);
    let known = board::kernels().into_iter().find(|board| {
        let of_several = Board::all().any(|several| several.name == *board);
        of_several == several && has(image::crate_of(board).0)
    });
    known
        .and_then(|board| Board::of_any(board).ok())
        .map(Told::Board)
}

/// Returns the forms of a crate's name in symbols: with its length, and in the names of
/// implementations.
fn parts(board: &str) -> [String; 2] {
    let name = board.replace('-', "_");
    [format!("{}{name}", name.len()), format!("$LT${name}..")]
}

/// Whether the part is there; one that begins with a length is no end of a longer number.
fn contains(symbol: &str, part: &str) -> bool {
    let mut found = symbol.match_indices(part);
    found.any(|(at, _)| !part.starts_with(digit) || !symbol[..at].ends_with(digit))
}

const fn digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

/// The board, unless its processor is of another architecture than the image.
fn fitting(subject: &str, file: &object::File<'_>, board: Board) -> Result<Board> {
    let (wanted, has) = (file.architecture(), architecture(board));
    match (wanted == has, boards(wanted)) {
        (true, _) => Ok(board),
        (false, none) if none.is_empty() => Err(nowhere(subject, wanted)),
        (false, boards) => Err(Failure::error(
            format!(
                "{subject} is an image of {}, and the board {} has processors of {}",
                name(wanted),
                board.name,
                name(has)
            ),
            format!("say --board with one of {boards}"),
        )),
    }
}

fn nowhere(subject: &str, architecture: Architecture) -> anyhow::Error {
    Failure::error(
        format!(
            "{subject} is an image of {}, which no board has",
            name(architecture)
        ),
        "build it for one of the boards: 32-bit Arm, AArch64, or RISC-V of 64 bits",
    )
}

/// The architecture of a board's processors.
fn architecture(board: Board) -> Architecture {
    let triple = board.machine.triple();
    match triple {
        _ if triple.starts_with("aarch64") => Architecture::Aarch64,
        _ if triple.starts_with("riscv64") => Architecture::Riscv64,
        _ => Architecture::Arm,
    }
}

fn name(architecture: Architecture) -> String {
    match architecture {
        Architecture::Arm => "32-bit Arm".into(),
        Architecture::Aarch64 => "AArch64".into(),
        Architecture::Riscv64 => "64-bit RISC-V".into(),
        other => format!("{other:?}"),
    }
}

/// The boards with such processors.
fn boards(wanted: Architecture) -> String {
    let all = board::kernels().into_iter();
    let fits = |name: &&str| Board::of_any(name).is_ok_and(|board| architecture(board) == wanted);
    all.filter(fits).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn an_image_tells_its_board_by_its_symbols() {
        for (symbols, expected) in [
            (&["_ZN9stm32f4055clock5start17hE"][..], Some("stm32f405")),
            // The name of one board begins another one's.
            (&["_ZN19virt_aarch64_el2xyz4mainE"], None),
            (
                &["_ZN12virt_aarch644mainE", OF_SEVERAL],
                Some("virt-aarch64-smp"),
            ),
            (
                &["_RNvNtCs_10imx8mp_evk4main", OF_SEVERAL],
                Some("imx8mp-evk-smp"),
            ),
            (&["_RNvNtCs_10imx8mp_evk4main"], Some("imx8mp-evk")),
            (
                &["_ZN83_$LT$zcu102..common..system..Board$u20$as"],
                Some("zcu102"),
            ),
            (&["main"], None),
        ] {
            let found = match told(symbols) {
                Some(Told::Board(board)) => Some(board.name),
                _ => None,
            };
            assert_eq!(found, expected, "{symbols:?}");
        }
    }

    #[test]
    fn where_the_board_is_guessed_an_error_says_so() {
        let wrong = || anyhow::anyhow!("it did not run");
        let guessed = Chosen::guess("x", Architecture::Riscv64).unwrap();
        let shown = taktos_runner::failure::shown(&guessed.explained(wrong()));
        assert!(
            shown.starts_with(
                "error: it did not run\nhint: without --board an image of 64-bit RISC-V runs on virt-riscv64; \
                 if it is made for another board, say --board with one of virt-riscv64, "
            ),
            "{shown}"
        );
        let sure = Chosen::sure(guessed.board);
        assert_eq!(sure.explained(wrong()).to_string(), "it did not run");
        assert!(Chosen::guess("x", Architecture::X86_64).is_err());
    }

    #[test]
    fn each_architecture_has_its_boards() {
        assert!(boards(Architecture::Arm).starts_with("mps2-an386, stm32l475-iot01"));
        let riscv = boards(Architecture::Riscv64);
        let ends = (
            riscv.starts_with("virt-riscv64, "),
            riscv.contains("virt-riscv64-smp"),
        );
        assert_eq!(ends, (true, true), "{riscv}");
        assert_eq!(boards(Architecture::X86_64), "");
    }
}
