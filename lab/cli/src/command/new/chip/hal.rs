//! Crates for the pins and devices of chips (HAL): the family of each, and its features for a chip.
//!
//! Owns: the names of crates and features. Must never know: the program, or a pin.

use super::table::Chip;

/// A crate for a family of chips.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// embassy-stm32.
    Stm32,
    /// embassy-nrf.
    Nrf,
    /// embassy-rp.
    Rp,
}

/// The crate for a chip.
#[derive(PartialEq, Eq, Debug)]
pub struct Hal {
    /// The crate's family.
    pub family: Family,
    /// Its features: the chip, then those that the chip needs besides.
    pub features: Vec<String>,
    /// Whether it is for the first processor of two.
    pub is_shared: bool,
}

/// Chips of which embassy-stm32 0.6 has no feature, by the beginnings of names: modules with an
/// antenna.
const WITHOUT_FEATURE: [&str; 4] = ["STM32WB1M", "STM32WB5M", "STM32WBA5M", "STM32WL5M"];

/// Chips with two processors, by the beginnings of features, and what the feature for the first one
/// ends with.
const FIRST_OF_TWO: [(&str, &str); 6] = [
    ("stm32h745", "-cm7"),
    ("stm32h747", "-cm7"),
    ("stm32h755", "-cm7"),
    ("stm32h757", "-cm7"),
    ("stm32wl54", "-cm4"),
    ("stm32wl55", "-cm4"),
];

/// Chips that have drivers that need time, by the beginnings of features. It is the kernel's if a
/// program has executors of embassy.
const WITH_TIME: [&str; 1] = ["stm32l1"];

/// Chips that have flash of one bank or two, and the feature for that of a new chip. A `?` is any
/// letter. Sources: RM0090 (option DB1M), RM0410 (nDBANK), RM0440, RM0432, RM0438 (DBANK).
const BANKS: [(&str, &str); 15] = [
    ("stm32f42??g", "single-bank"),
    ("stm32f43??g", "single-bank"),
    ("stm32f46??g", "single-bank"),
    ("stm32f47??g", "single-bank"),
    ("stm32f76???", "single-bank"),
    ("stm32f77???", "single-bank"),
    ("stm32g471??", "dual-bank"),
    ("stm32g473??", "dual-bank"),
    ("stm32g474??", "dual-bank"),
    ("stm32g48???", "dual-bank"),
    ("stm32l4p???", "dual-bank"),
    ("stm32l4q???", "dual-bank"),
    ("stm32l4r???", "dual-bank"),
    ("stm32l4s???", "dual-bank"),
    ("stm32l5???e", "dual-bank"),
];

/// Features of embassy-nrf for chips with security, by the beginnings of names: the program is the
/// first one that runs, and so the secure one.
const SECURE: [(&str, &str); 6] = [
    ("nrf5340", "nrf5340-app-s"),
    ("nrf54l15", "nrf54l15-app-s"),
    ("nrf54lm20", "nrf54lm20-app-s"),
    ("nrf9151", "nrf9151-s"),
    ("nrf9160", "nrf9160-s"),
    ("nrf9161", "nrf9161-s"),
];

impl Hal {
    /// Returns the crate for a chip, if there is one.
    pub fn of(chip: &Chip) -> Option<Self> {
        let name = chip.name.to_lowercase();
        let mut without = WITHOUT_FEATURE.iter();
        if without.any(|begin| chip.name.starts_with(begin)) {
            return None;
        }
        let (family, features) = if name.starts_with("stm32") {
            (Family::Stm32, of_stm32(&name)?)
        } else if name.starts_with("nrf") {
            (Family::Nrf, vec![of_nrf(&name)?])
        } else if name == "rp235x" {
            // The smaller of its two packages: the other one has more pins.
            (Family::Rp, vec!["rp235xa".to_owned()])
        } else if name == "rp2040" {
            (Family::Rp, vec![name])
        } else {
            return None;
        };
        let is_shared = first_of_two(&chip.name.to_lowercase()).is_some();
        Some(Self {
            family,
            features,
            is_shared,
        })
    }
}

impl Family {
    /// Returns the crate's name.
    pub fn package(self) -> &'static str {
        match self {
            Self::Stm32 => "embassy-stm32",
            Self::Nrf => "embassy-nrf",
            Self::Rp => "embassy-rp",
        }
    }

    /// Returns the versions of the crate that a program is written for.
    pub fn version(self) -> &'static str {
        match self {
            Self::Stm32 => "0.6",
            Self::Nrf => "0.11",
            Self::Rp => "0.10",
        }
    }
}

/// Returns the features for a chip: its name without the package, which has two letters behind the
/// line for pins and flash.
fn of_stm32(name: &str) -> Option<Vec<String>> {
    let length = match name.starts_with("stm32wba") {
        true => "stm32wba52cg".len(),
        false => "stm32f411ce".len(),
    };
    let short = name.get(..length)?;
    let chip = format!("{short}{}", first_of_two(short).unwrap_or_default());
    let banks = BANKS.iter().find(|(form, _)| has_form(short, form));
    let time = WITH_TIME.iter().any(|begin| short.starts_with(begin));
    let others = banks.map(|(_, feature)| *feature).into_iter();
    let others = others.chain(time.then_some("time"));
    Some(
        [chip]
            .into_iter()
            .chain(others.map(str::to_owned))
            .collect(),
    )
}

/// Returns the end of the feature for the first processor, if there are two.
fn first_of_two(chip: &str) -> Option<&'static str> {
    let first = FIRST_OF_TWO
        .iter()
        .find(|(begin, _)| chip.starts_with(begin));
    first.map(|(_, end)| *end)
}

fn has_form(name: &str, form: &str) -> bool {
    let mut pairs = name.bytes().zip(form.bytes());
    name.len() == form.len() && pairs.all(|(letter, any)| any == b'?' || any == letter)
}

fn of_nrf(name: &str) -> Option<String> {
    let secure = SECURE.iter().find(|(begin, _)| name.starts_with(begin));
    let feature = match secure {
        Some((_, feature)) => Some(*feature),
        None => name.get(..8).filter(|plain| plain.starts_with("nrf52")),
    };
    feature.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::table::all;
    use super::*;

    fn features(name: &str) -> Option<Vec<String>> {
        let chip = all().find(|chip| chip.name == name).expect(name);
        Hal::of(&chip).map(|hal| hal.features)
    }

    #[test]
    fn feature_is_the_name_without_package() {
        for (name, expected) in [
            ("STM32F411CEUx", &["stm32f411ce"][..]),
            ("STM32G431CBUx", &["stm32g431cb"]),
            ("STM32H743VITx", &["stm32h743vi"]),
            ("STM32H745ZITx", &["stm32h745zi-cm7"]),
            ("STM32WL55CCUx", &["stm32wl55cc-cm4"]),
            ("STM32WBA52CGUx", &["stm32wba52cg"]),
            ("STM32U585CIUx", &["stm32u585ci"]),
            ("STM32G474RETx", &["stm32g474re", "dual-bank"]),
            ("STM32L151CBTx", &["stm32l151cb", "time"]),
            ("STM32F429ZGTx", &["stm32f429zg", "single-bank"]),
            ("STM32F429ZITx", &["stm32f429zi"]),
            ("nRF52840_xxAA", &["nrf52840"]),
            ("nRF52832_xxAB", &["nrf52832"]),
            ("nRF5340_xxAA", &["nrf5340-app-s"]),
            ("nRF9160_xxAA", &["nrf9160-s"]),
            ("nRF54LM20A", &["nrf54lm20-app-s"]),
            ("RP235x", &["rp235xa"]),
            ("RP2040", &["rp2040"]),
        ] {
            assert_eq!(features(name).expect(name), expected, "{name}");
        }
        for name in [
            "GD32F103C8",
            "ATSAMD51J19A",
            "STM32WB5MMGHx",
            "RP235x_riscv",
        ] {
            assert_eq!(features(name), None, "{name}");
        }
    }

    #[test]
    fn chips_of_hal_families_have_a_hal() {
        let chips = all().filter(|chip| chip.memory.is_some());
        let without: BTreeSet<&str> = chips
            .filter(|chip| chip.name.starts_with("STM32") || chip.name.starts_with("nRF"))
            .filter(|chip| Hal::of(chip).is_none())
            .map(|chip| chip.name)
            .collect();
        let named = [
            "STM32WB1MMCHx",
            "STM32WB5MMGHx",
            "STM32WBA5MJGHx",
            "STM32WL5MOCHx",
        ];
        assert_eq!(without, BTreeSet::from(named));
    }
}
