//! How many interrupts chips have, by which their table of interrupts is as short as it can be.
//!
//! Owns: those numbers, for programs without a HAL. Must never know: a handler.

/// Numbers of interrupts, by the beginnings of names: the largest of the chips that begin so, in
/// `stm32-metapac` 21.0.0 and `nrf-pac` 0.4.0. Chips with Armv6-M have 32 at most anyway.
const NUMBERS: [(&str, u32); 26] = [
    ("STM32F1", 68),
    ("STM32F2", 81),
    ("STM32F3", 85),
    ("STM32F401", 85),
    ("STM32F405", 82),
    ("STM32F407", 82),
    ("STM32F415", 82),
    ("STM32F417", 82),
    ("STM32F411", 86),
    ("STM32F4", 102),
    ("STM32F7", 110),
    ("STM32G4", 102),
    ("STM32H5", 134),
    ("STM32H7", 163),
    ("STM32L1", 57),
    ("STM32L4", 95),
    ("STM32L5", 109),
    ("STM32N6", 195),
    ("STM32U3", 125),
    ("STM32U5", 141),
    ("STM32WBA", 82),
    ("STM32WB", 63),
    ("STM32WL", 62),
    ("nRF52", 48),
    ("nRF53", 69),
    ("nRF91", 65),
];

/// Returns the number of interrupts of a chip, if its family is known.
pub fn of(chip: &str) -> Option<u32> {
    let known = NUMBERS.iter().find(|(begin, _)| chip.starts_with(begin));
    known.map(|&(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::super::table::all;
    use super::*;

    #[test]
    fn longer_beginning_of_a_name_comes_first() {
        for (place, (begin, _)) in NUMBERS.iter().enumerate() {
            let hidden = NUMBERS[..place]
                .iter()
                .find(|(known, _)| begin.starts_with(known));
            assert_eq!(hidden, None, "{begin}");
            assert!(all().any(|chip| chip.name.starts_with(begin)), "{begin}");
        }
        assert_eq!(of("STM32F405RGTx"), Some(82));
        assert_eq!(of("R7FA4M1AB"), None);
    }
}
