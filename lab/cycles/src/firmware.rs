//! Acts of code for a Cortex-M that a run need not show: how far its functions move the stack
//! pointer, and where they mask interrupts of every priority.
//!
//! Owns: the few encodings that do either. Must never know: costs, boards, limits.

use std::collections::BTreeMap;

use crate::image::{Image, Stretch};
use crate::{Cpu, Error, t32};

/// How far a function moves the stack pointer down at once, without a store on the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The function's symbol.
    pub function: String,
    /// Number of bytes at most; none if it is in a register.
    pub bytes: Option<u32>,
}

/// The frames of an image's functions, the largest first; those without one are left out.
///
/// # Errors
/// When the ELF cannot be read or has no code.
pub fn frames(elf: &[u8]) -> Result<Vec<Frame>, Error> {
    let image = Image::read(elf, Cpu::CortexM4)?;
    let mut largest: BTreeMap<String, Option<u32>> = BTreeMap::new();
    for_each(&image, |stretch| {
        let mut sum = Some(0);
        for (address, first, second) in instructions(stretch) {
            let Some(bytes) = moved_down(first, second) else {
                sum = Some(0);
                continue;
            };
            // Of moves that follow each other the last has the sum.
            sum = sum.zip(bytes).map(|(sum, bytes)| sum + bytes);
            let found = largest
                .entry(image.symbol(address).to_owned())
                .or_insert(Some(0));
            *found = found.zip(sum).map(|(found, sum)| found.max(sum));
        }
    })?;
    let frames = largest.into_iter();
    let mut frames: Vec<Frame> = frames
        .map(|(function, bytes)| Frame { function, bytes })
        .collect();
    frames.sort_by_key(|frame| std::cmp::Reverse(frame.bytes.unwrap_or(u32::MAX)));
    Ok(frames)
}

/// Returns how many bytes below each stack no thread may access, if an image with the kernel states
/// it.
#[must_use]
pub fn guard(elf: &[u8]) -> Option<u32> {
    Image::read(elf, Cpu::CortexM4)
        .ok()?
        .value("taktos.layout.guard")
}

/// The functions that mask interrupts of every priority, or say themselves whether they are masked
/// (PRIMASK, FAULTMASK), in their order.
///
/// # Errors
/// Those of [`frames`].
pub fn masking(elf: &[u8]) -> Result<Vec<String>, Error> {
    let image = Image::read(elf, Cpu::CortexM4)?;
    let mut found: Vec<String> = Vec::new();
    for_each(&image, |stretch| {
        for (address, first, second) in instructions(stretch) {
            let function = image.symbol(address);
            if masks_all(first, second) && found.last().is_none_or(|last| last != function) {
                found.push(function.to_owned());
            }
        }
    })?;
    Ok(found)
}

fn for_each(image: &Image<'_>, mut look: impl FnMut(&Stretch<'_>)) -> Result<(), Error> {
    for (_, _, stretches) in image.code()? {
        stretches.iter().for_each(&mut look);
    }
    Ok(())
}

/// The instructions of a stretch with their addresses; the second half of a short one is zero.
fn instructions(stretch: &Stretch<'_>) -> impl Iterator<Item = (u32, u16, u16)> {
    let mut place = 0;
    std::iter::from_fn(move || {
        let half = |at: usize| {
            let bytes = stretch.bytes.get(at..at + 2)?;
            Some(u16::from_le_bytes([bytes[0], bytes[1]]))
        };
        let (at, first) = (place, half(place)?);
        place += usize::from(t32::size(first));
        let second = if t32::size(first) == 4 {
            half(at + 2)?
        } else {
            0
        };
        Some((stretch.address + at as u32, first, second))
    })
}

/// Returns how far an instruction moves the stack pointer down without a store: `sub sp, sp, ...`
/// (Armv7-M manual, A7.7.174 to A7.7.176).
fn moved_down(first: u16, second: u16) -> Option<Option<u32>> {
    let immediate = || {
        u32::from(first >> 10 & 1) << 11
            | u32::from(second >> 12 & 7) << 8
            | u32::from(second & 0xFF)
    };
    let of_stack_pointer = second & 0x8F00 == 0x0D00;
    match first {
        _ if first & 0xFF80 == 0xB080 => Some(Some(u32::from(first & 0x7F) * 4)),
        _ if first & 0xFBEF == 0xF1AD && of_stack_pointer => Some(Some(expanded(immediate()))),
        _ if first & 0xFBFF == 0xF2AD && of_stack_pointer => Some(Some(immediate())),
        _ if first & 0xFFEF == 0xEBAD && second & 0x0F00 == 0x0D00 => Some(None),
        _ => None,
    }
}

/// A constant that an instruction says in twelve bits (Armv7-M manual, A5.3.2).
fn expanded(immediate: u32) -> u32 {
    let byte = immediate & 0xFF;
    match immediate >> 8 {
        0 => byte,
        1 => byte << 16 | byte,
        2 => byte << 24 | byte << 8,
        3 => byte << 24 | byte << 16 | byte << 8 | byte,
        _ => (byte | 0x80).rotate_right(immediate >> 7),
    }
}

/// Returns whether an instruction is `cpsid i` or `cpsid f`, or writes PRIMASK or FAULTMASK
/// (Armv7-M manual, B5.2.1, B5.2.3).
fn masks_all(first: u16, second: u16) -> bool {
    const PRIMASK: u16 = 16;
    const FAULTMASK: u16 = 19;
    let disables = first & 0xFFF0 == 0xB670 && first & 0b11 != 0;
    let writes = first & 0xFFF0 == 0xF380 && second & 0xFF00 == 0x8800;
    disables || writes && matches!(second & 0xFF, PRIMASK | FAULTMASK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stack_pointer_s_moves_are_known_by_their_encodings() {
        for (first, second, expected) in [
            (0xB0A0, 0, Some(Some(128))),       // sub sp, #128
            (0xF5AD, 0x5D00, Some(Some(8192))), // sub.w sp, sp, #8192
            (0xF2AD, 0x4D04, Some(Some(1028))), // subw sp, sp, #1028
            (0xF5AD, 0x7D02, Some(Some(520))),  // sub.w sp, sp, #520
            (0xEBAD, 0x0D03, Some(None)),       // sub.w sp, sp, r3
            (0xB020, 0, None),                  // add sp, #128
            (0xF5A7, 0x5700, None),             // sub.w r7, r7, #8192
            (0xF5AD, 0x5700, None),             // sub.w r7, sp, #8192
        ] {
            assert_eq!(
                moved_down(first, second),
                expected,
                "{first:04x} {second:04x}"
            );
        }
    }

    #[test]
    fn masks_of_all_interrupts_are_told_from_those_of_the_kernel_s_level() {
        for (first, second, expected) in [
            (0xB672, 0, true),       // cpsid i
            (0xB671, 0, true),       // cpsid f
            (0xB662, 0, false),      // cpsie i
            (0xF380, 0x8810, true),  // msr primask, r0
            (0xF38C, 0x8810, true),  // msr primask, r12
            (0xF383, 0x8813, true),  // msr faultmask, r3
            (0xF380, 0x8811, false), // msr basepri, r0
            (0xF3EF, 0x8010, false), // mrs r0, primask
        ] {
            assert_eq!(
                masks_all(first, second),
                expected,
                "{first:04x} {second:04x}"
            );
        }
    }
}
