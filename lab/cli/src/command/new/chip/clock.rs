//! The rates of processors after reset, by which a program without a HAL counts time until it sets
//! a clock.
//!
//! Owns: those rates. Must never know: how a clock is set.

/// The rate of a family that is not in the table, in hertz.
pub const UNKNOWN: u32 = 16_000_000;

const MEGA: u32 = 1_000_000;

/// Rates in hertz, by the beginnings of names, with the source of each.
const RATES: [(&str, u32, &str); 42] = [
    ("STM32C0", 12 * MEGA, "HSI48 / 4, RM0490"),
    ("STM32F0", 8 * MEGA, "HSI, RM0091"),
    ("STM32G0", 16 * MEGA, "HSI16, RM0444"),
    ("STM32L0", 2_097_000, "MSI, RM0377"),
    ("STM32U0", 4 * MEGA, "MSI, RM0503"),
    ("ATSAMD2", MEGA, "OSC8M / 8, datasheet"),
    ("MSPM0", 32 * MEGA, "SYSOSC, technical reference manual"),
    ("STM32F1", 8 * MEGA, "HSI, RM0008"),
    ("STM32F2", 16 * MEGA, "HSI, RM0033"),
    ("STM32F3", 8 * MEGA, "HSI, RM0316"),
    ("STM32F4", 16 * MEGA, "HSI, RM0090"),
    ("STM32F7", 16 * MEGA, "HSI, RM0385"),
    ("STM32G4", 16 * MEGA, "HSI16, RM0440"),
    ("STM32H5", 32 * MEGA, "HSI / 2, RM0481"),
    ("STM32H7", 64 * MEGA, "HSI, RM0433"),
    ("STM32L1", 2_097_000, "MSI, RM0038"),
    ("STM32L4", 4 * MEGA, "MSI, RM0351"),
    ("STM32L5", 4 * MEGA, "MSI, RM0438"),
    ("STM32U5", 4 * MEGA, "MSIS, RM0456"),
    ("STM32WBA", 16 * MEGA, "HSI16, RM0493"),
    ("STM32WB", 4 * MEGA, "MSI, RM0434"),
    ("STM32WL", 4 * MEGA, "MSI, RM0453"),
    ("nRF52", 64 * MEGA, "HFINT, product specification"),
    ("nRF53", 64 * MEGA, "HFINT / 2, product specification"),
    ("nRF54L", 64 * MEGA, "PLL, datasheet"),
    ("nRF91", 64 * MEGA, "HFINT, product specification"),
    ("GD32C1", 8 * MEGA, "IRC8M, user manual"),
    ("GD32E1", 8 * MEGA, "IRC8M, user manual"),
    ("GD32E5", 8 * MEGA, "IRC8M, user manual"),
    ("GD32F1", 8 * MEGA, "IRC8M, user manual"),
    ("GD32F3", 8 * MEGA, "IRC8M, user manual"),
    ("GD32F4", 16 * MEGA, "IRC16M, user manual"),
    ("AT32F4", 8 * MEGA, "HICK / 6, reference manual"),
    ("ATSAMD5", 48 * MEGA, "DFLL48M, datasheet"),
    ("ATSAME5", 48 * MEGA, "DFLL48M, datasheet"),
    ("ATSAME7", 12 * MEGA, "fast RC, datasheet"),
    ("ATSAMV7", 12 * MEGA, "fast RC, datasheet"),
    ("ATSAM4S", 4 * MEGA, "fast RC, datasheet"),
    ("LPC55", 12 * MEGA, "FRO, user manual"),
    ("MSP432P4", 3 * MEGA, "DCO, technical reference manual"),
    ("TM4C", 16 * MEGA, "PIOSC, datasheet"),
    (
        "XMC4",
        24 * MEGA,
        "fast internal oscillator, reference manual",
    ),
];

/// Returns the rate of a chip after reset and its source, if its family is known.
pub fn after_reset(chip: &str) -> Option<(u32, &'static str)> {
    let known = RATES.iter().find(|(begin, ..)| chip.starts_with(begin));
    known.map(|&(_, rate, source)| (rate, source))
}

/// Returns a number as a program has it: `16_000_000`.
pub fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::table::all;
    use super::*;

    #[test]
    fn longer_beginning_of_a_name_comes_first() {
        for (place, (begin, ..)) in RATES.iter().enumerate() {
            let hidden = RATES[..place]
                .iter()
                .find(|(known, ..)| begin.starts_with(known));
            assert_eq!(hidden, None, "{begin}");
            assert!(all().any(|chip| chip.name.starts_with(begin)), "{begin}");
        }
        assert_eq!(
            after_reset("STM32WBA52CGUx"),
            Some((16 * MEGA, "HSI16, RM0493"))
        );
        assert_eq!(after_reset("R7FA4M1AB"), None);
    }

    #[test]
    fn numbers_have_groups_of_three_digits() {
        let shown = [0, 999, 1_000, 2_097_000, 64 * MEGA].map(grouped);
        assert_eq!(shown, ["0", "999", "1_000", "2_097_000", "64_000_000"]);
    }
}
