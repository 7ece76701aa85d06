//! Images that cannot be loaded: the program's, of which a piece is another one.
//!
//! Owns: what is wrong with each. Must never know: what the kernel checks first.

use crate::{CODE, IMAGE, MEMORY, OTHERS, THREADS};
use taktos::Error;
use taktos::board::Board;
use taktos::user::{ImageError, Loaded, Partition};

/// Where fields lie (System V ABI): of the header the architecture, the beginning, the number of
/// segments; of the first segment, which is that of the code, its address, its size in memory, its
/// rights.
const IS_64: bool = usize::BITS == 64;
const MACHINE: usize = 0x12;
const ENTRY: usize = 0x18;
const COUNT: usize = if IS_64 { 0x38 } else { 0x2C };
const SEGMENT: usize = if IS_64 { 0x40 } else { 0x34 };
const ADDRESS: usize = SEGMENT + if IS_64 { 0x10 } else { 0x08 };
const SIZE: usize = SEGMENT + if IS_64 { 0x28 } else { 0x14 };
const RIGHTS: usize = SEGMENT + if IS_64 { 0x04 } else { 0x18 };
const LENGTH: usize = IMAGE.len();
/// An address, or a size.
const WORD: usize = size_of::<usize>();

type Altered = [u8; LENGTH];

/// The image with other bytes at `place`.
const fn altered<const N: usize>(place: usize, bytes: [u8; N]) -> Altered {
    let mut image = [0; LENGTH];
    let mut number = 0;
    while number < LENGTH {
        let is_other = number >= place && number < place + N;
        image[number] = if is_other {
            bytes[number - place]
        } else {
            IMAGE[number]
        };
        number += 1;
    }
    image
}

const fn word(value: usize) -> [u8; WORD] {
    value.to_le_bytes()
}

static OF_ANOTHER_MACHINE: Altered = altered(MACHINE, [0]);
static BEGINNING_NOWHERE: Altered = altered(ENTRY, word(0x10));
static WITH_MANY_SEGMENTS: Altered = altered(COUNT, [17]);
/// Address of the kernel of some board.
static OVER_THE_KERNEL: Altered = altered(ADDRESS, word(0x8000_0000));
static OVER_ALL: Altered = altered(SIZE, word(usize::MAX / 2));
static BEYOND_THE_END: Altered = altered(SIZE, word(usize::MAX));
static TO_BE_WRITTEN: Altered = altered(RIGHTS, [7]);
static NOT_TO_BE_EXECUTED: Altered = altered(RIGHTS, [6]);

/// Addresses of 32 bits have an end that sums of 64 bits go beyond.
const BEYOND: ImageError = if IS_64 {
    ImageError::Size
} else {
    ImageError::Place
};

static WRONG: [(Partition<Board, Loaded>, ImageError); 11] = [
    (of(b"no image"), ImageError::Magic),
    (of(IMAGE.split_at(40).0), ImageError::Truncated),
    (of(IMAGE.split_at(LENGTH - 1).0), ImageError::Truncated),
    (of(&OF_ANOTHER_MACHINE), ImageError::Machine),
    (of(&BEGINNING_NOWHERE), ImageError::Entry),
    (of(&WITH_MANY_SEGMENTS), ImageError::Count),
    (of(&OVER_THE_KERNEL), ImageError::Place),
    (of(&OVER_ALL), ImageError::Place),
    (of(&BEYOND_THE_END), BEYOND),
    (of(&TO_BE_WRITTEN), ImageError::WriteAndExecute),
    (of(&NOT_TO_BE_EXECUTED), ImageError::Place),
];
/// Linked for other addresses than it is to be loaded to.
static ELSEWHERE: Partition<Board, Loaded> =
    Partition::loaded("elsewhere", IMAGE, &OTHERS, &MEMORY, &THREADS);

const fn of(image: &'static [u8]) -> Partition<Board, Loaded> {
    Partition::loaded("wrong", image, &CODE, &MEMORY, &THREADS)
}

/// Whether each is refused for what is wrong with it, and nothing has changed.
pub(crate) fn is_refused() -> bool {
    let elsewhere = (&ELSEWHERE, ImageError::Place);
    let all = WRONG.iter().map(|(partition, error)| (partition, *error));
    all.chain([elsewhere]).all(|(partition, error)| {
        let said = (partition.check_image(), partition.start());
        let is_right = said == (Err(error), Err(Error::Parameter)) && partition.generation() == 0;
        if !is_right {
            taktos::println!("wrong: {error:?} is to be said: {said:?}");
        }
        is_right
    })
}
