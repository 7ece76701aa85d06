//! One instruction of an image after the other, with its timing: where the decoders, the
//! models and the architecture's sequential state (conditions) meet.

use crate::a32;
use crate::image::{Image, Stretch};
use crate::model::cortex_m0::Armv6M;
use crate::model::{self, Events};
use crate::t32::{self, Class};
use crate::timing::{ALWAYS, Timing};
use crate::{Cpu, UnknownInstruction, a64, rv64};

/// An instruction of an image.
pub(crate) struct Instruction {
    pub address: u32,
    pub size: u8,
    pub condition: u8,
    pub timing: Timing,
}

pub(crate) fn events(cpu: Cpu) -> Events {
    match cpu {
        Cpu::CortexM0 => model::cortex_m0::M0.events(),
        Cpu::CortexM0Plus => model::cortex_m0::M0_PLUS.events(),
        Cpu::CortexM3 => model::cortex_m3::EVENTS,
        Cpu::CortexM4 => model::cortex_m4::EVENTS,
        Cpu::CortexA8 => model::cortex_a8::EVENTS,
        Cpu::CortexA53 => model::cortex_a53::EVENTS,
        Cpu::U54 => model::u54::EVENTS,
    }
}

/// Returns the instructions of a stretch. Unknown ones within a function are added to `unknown`;
/// elsewhere they are filling between functions, and left out.
pub(crate) fn instructions(
    image: &Image<'_>,
    cpu: Cpu,
    stretch: &Stretch<'_>,
    unknown: &mut Vec<UnknownInstruction>,
) -> Vec<Instruction> {
    match cpu {
        Cpu::CortexM0 => armv6m(image, stretch, unknown, model::cortex_m0::M0),
        Cpu::CortexM0Plus => armv6m(image, stretch, unknown, model::cortex_m0::M0_PLUS),
        Cpu::CortexM3 => thumb(image, stretch, unknown, |first, second, _| {
            Some(model::cortex_m3::timing(t32::classify(first, second)?))
        }),
        Cpu::CortexM4 => thumb(image, stretch, unknown, |first, second, _| {
            Some(model::cortex_m4::timing(t32::classify(first, second)?))
        }),
        Cpu::CortexA8 if stretch.thumb => {
            thumb(image, stretch, unknown, |first, second, condition| {
                let found = a32::thumb::classify(first, second, condition.is_some())?;
                Some(model::cortex_a8::timing(
                    &found,
                    condition.unwrap_or(ALWAYS),
                ))
            })
        }
        Cpu::CortexA8 => words(image, stretch, unknown, |word| {
            let (found, condition) = (a32::classify(word)?, a32::condition(word));
            Some((condition, model::cortex_a8::timing(&found, condition)))
        }),
        Cpu::CortexA53 => words(image, stretch, unknown, |word| {
            Some((ALWAYS, model::cortex_a53::timing(&a64::classify(word)?)))
        }),
        Cpu::U54 => risc_v(image, stretch, unknown),
    }
}

/// T32 of Armv6-M: all but a few instructions of two bytes.
fn armv6m(
    image: &Image<'_>,
    stretch: &Stretch<'_>,
    unknown: &mut Vec<UnknownInstruction>,
    model: Armv6M,
) -> Vec<Instruction> {
    thumb(image, stretch, unknown, |first, second, _| {
        model.timing(t32::classify(first, second)?, t32::size(first) == 4)
    })
}

/// T32: instructions of two or four bytes, some under conditions in an instruction before them.
fn thumb(
    image: &Image<'_>,
    stretch: &Stretch<'_>,
    unknown: &mut Vec<UnknownInstruction>,
    timing: impl Fn(u16, u16, Option<u8>) -> Option<Timing>,
) -> Vec<Instruction> {
    let halfwords: Vec<u16> = stretch
        .bytes
        .chunks_exact(2)
        .map(|b| u16::from_le_bytes([b[0], b[1]]))
        .collect();
    let mut found = Vec::new();
    let mut conditions = Conditions::default();
    let mut i = 0;
    while i < halfwords.len() {
        let (first, second) = (halfwords[i], halfwords.get(i + 1).copied());
        let address = stretch.address + 2 * i as u32;
        let size = t32::size(first);
        let condition = conditions.next();
        let timing = match (size, second) {
            (4, None) => None,
            _ => timing(first, second.unwrap_or(0), condition),
        };
        if let Some(timing) = timing {
            if let Some(Class::It { condition, mask }) = t32::classify(first, 0) {
                conditions = Conditions::of(condition, mask);
            }
            found.push(Instruction {
                address,
                size,
                condition: condition.unwrap_or(ALWAYS),
                timing,
            });
        } else if image.in_function(address) {
            unknown.push(UnknownInstruction {
                address,
                bytes: match (size, second) {
                    (4, Some(second)) => format!("{first:04x} {second:04x}"),
                    _ => format!("{first:04x}"),
                },
                symbol: image.symbol(address).to_owned(),
            });
        }
        i += usize::from(size / 2);
    }
    found
}

/// Instructions of four bytes each, with their condition and timing.
fn words(
    image: &Image<'_>,
    stretch: &Stretch<'_>,
    unknown: &mut Vec<UnknownInstruction>,
    timing: impl Fn(u32) -> Option<(u8, Timing)>,
) -> Vec<Instruction> {
    let mut found = Vec::new();
    for (i, bytes) in stretch.bytes.chunks_exact(4).enumerate() {
        let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let address = stretch.address + 4 * i as u32;
        if let Some((condition, timing)) = timing(word) {
            found.push(Instruction {
                address,
                size: 4,
                condition,
                timing,
            });
        } else if image.in_function(address) {
            let symbol = image.symbol(address).to_owned();
            unknown.push(UnknownInstruction {
                address,
                bytes: format!("{word:08x}"),
                symbol,
            });
        }
    }
    found
}

fn risc_v(
    image: &Image<'_>,
    stretch: &Stretch<'_>,
    unknown: &mut Vec<UnknownInstruction>,
) -> Vec<Instruction> {
    let mut found = Vec::new();
    let mut rest = stretch.bytes;
    let mut address = stretch.address;
    while let [low, high, ..] = *rest {
        let first = u16::from_le_bytes([low, high]);
        let size = rv64::size(first);
        let whole = rest.get(..usize::from(size));
        let mut word = [0; 4];
        whole
            .into_iter()
            .for_each(|bytes| word[..bytes.len()].copy_from_slice(bytes));
        let word = u32::from_le_bytes(word);
        if let Some(class) = whole.and_then(|_| rv64::classify(word)) {
            found.push(Instruction {
                address,
                size,
                condition: ALWAYS,
                timing: model::u54::timing(&class),
            });
        } else if image.in_function(address) {
            unknown.push(UnknownInstruction {
                address,
                bytes: match size {
                    2 => format!("{first:04x}"),
                    _ => format!("{word:08x}"),
                },
                symbol: image.symbol(address).to_owned(),
            });
        }
        rest = rest.get(usize::from(size)..).unwrap_or(&[]);
        address += u32::from(size);
    }
    found
}

/// The conditions that an IT instruction gives to those after it, last first.
#[derive(Default)]
struct Conditions(Vec<u8>);

impl Conditions {
    /// The mask has one bit for each further instruction (the condition's lowest bit),
    /// then a one.
    fn of(condition: u8, mask: u8) -> Self {
        let further = 3 - mask.trailing_zeros() as u8;
        let bits = (0..further).map(|i| condition & 0xe | mask >> (3 - i) & 1);
        let mut all: Vec<u8> = core::iter::once(condition).chain(bits).collect();
        all.reverse();
        Self(all)
    }

    /// That of the next instruction; none where no IT reaches it.
    fn next(&mut self) -> Option<u8> {
        self.0.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(condition: u8, mask: u8) -> Vec<u8> {
        let mut conditions = Conditions::of(condition, mask);
        let mut all = Vec::new();
        while let Some(condition) = conditions.next() {
            all.push(condition);
        }
        all
    }

    #[test]
    fn conditions_of_an_it_block() {
        assert_eq!(conditions(0, 0b1000), [0]); // it eq
        assert_eq!(conditions(0, 0b1100), [0, 1]); // ite eq
        assert_eq!(conditions(1, 0b1100), [1, 1]); // itt ne
        assert_eq!(conditions(0, 0b0101), [0, 0, 1, 0]); // ittet eq
    }
}
