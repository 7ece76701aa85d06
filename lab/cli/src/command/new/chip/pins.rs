//! The parts of a program that a HAL names in its own way: pins, types, and the set-up.
//!
//! Owns: those names. Must never know: which chip has which HAL.

use super::hal::{Family, Hal};

/// The names in a program for a chip with a HAL.
#[derive(PartialEq, Eq, Debug)]
pub struct Pins {
    /// Pin of the light, and a board that has it there.
    pub light: (&'static str, &'static str),
    /// Pin of the button.
    pub button: &'static str,
    /// The types that are imported, and the last argument of an output.
    pub types: (&'static str, &'static str),
    /// The call that sets up the chip, and items that it needs.
    pub set_up: (String, &'static str),
    /// The processor's rate after the set-up.
    pub rate: &'static str,
}

/// A board of Nordic with a light and a button.
struct Kit {
    /// Beginning of the features of its chips.
    chips: &'static str,
    light: &'static str,
    button: &'static str,
    name: &'static str,
}

impl Kit {
    const fn new(
        chips: &'static str,
        light: &'static str,
        button: &'static str,
        name: &'static str,
    ) -> Self {
        Self {
            chips,
            light,
            button,
            name,
        }
    }
}

/// The boards, by the user guide of each.
const KITS: [Kit; 5] = [
    Kit::new("nrf5340", "P0_28", "P0_23", "an nRF5340-DK"),
    Kit::new("nrf54l15", "P2_09", "P1_13", "an nRF54L15-DK"),
    Kit::new("nrf54lm20", "P1_22", "P1_26", "an nRF54LM20-DK"),
    Kit::new("nrf91", "P0_02", "P0_06", "an nRF9160-DK"),
    Kit::new("nrf52832", "P0_17", "P0_13", "an nRF52-DK"),
];
const NRF52840: Kit = Kit::new("nrf52", "P0_13", "P0_11", "an nRF52840-DK");

/// Part of the set-up that is for the second processor of two.
const SHARED: &str = "
/// The result of the set-up, for a program on the second processor.
static SHARED: core::mem::MaybeUninit<embassy_stm32::SharedData> = core::mem::MaybeUninit::uninit();
";

/// Last lines of the set-up of an STM32: the rate of its processor.
const STM32_RATE: &str = "let clocks = embassy_stm32::rcc::clocks(&chip.RCC);
    clocks.hclk1.to_hertz().unwrap().0";
const STM32H7_RATE: &str = "let clocks = embassy_stm32::rcc::clocks(&chip.RCC);
    clocks.sys.to_hertz().unwrap().0";

impl Pins {
    /// Returns the names for a HAL.
    pub fn of(hal: &Hal) -> Self {
        let chip = hal.features[0].as_str();
        let set_up = set_up(hal);
        match hal.family {
            Family::Stm32 => Self {
                light: ("PA5", "a Nucleo-64; PC13 on a Black Pill"),
                button: match chip.starts_with("stm32wba6") {
                    true => "PA8",
                    false => "PA0",
                },
                set_up,
                types: ("Input, Level, Output, Pull, Speed", ", Speed::Low"),
                // An H7 may have buses, and so memories, that are slower than the processor.
                rate: match chip.starts_with("stm32h7") {
                    true => STM32H7_RATE,
                    false => STM32_RATE,
                },
            },
            Family::Nrf => Self {
                light: (kit(chip).light, kit(chip).name),
                button: kit(chip).button,
                set_up,
                types: (
                    "Input, Level, Output, OutputDrive, Pull",
                    ", OutputDrive::Standard",
                ),
                rate: "64_000_000",
            },
            Family::Rp => Self {
                light: ("PIN_25", "a Pico, and a Pico 2"),
                button: "PIN_15",
                set_up,
                types: ("Input, Level, Output, Pull", ""),
                rate: "embassy_rp::clocks::clk_sys_freq()",
            },
        }
    }
}

fn set_up(hal: &Hal) -> (String, &'static str) {
    let library = hal.family.package().replace('-', "_");
    match hal.is_shared {
        true => (
            format!("{library}::init_primary(Default::default(), &SHARED)"),
            SHARED,
        ),
        false => (format!("{library}::init(Default::default())"), ""),
    }
}

/// Returns the vendor's kit with the chip.
fn kit(chip: &str) -> &'static Kit {
    let kit = KITS.iter().find(|kit| chip.starts_with(kit.chips));
    kit.unwrap_or(&NRF52840)
}

#[cfg(test)]
mod tests {
    use super::super::table::all;
    use super::*;

    #[test]
    fn pins_are_those_that_the_chip_has() {
        let pins = |name: &str| {
            let chip = all().find(|chip| chip.name == name).expect(name);
            Pins::of(&Hal::of(&chip).expect(name))
        };
        assert_eq!(pins("STM32WBA65CGUx").button, "PA8");
        assert_eq!(pins("nRF9160_xxAA").light.0, "P0_02");
        assert_eq!(pins("nRF52840_xxAA").light.0, "P0_13");
        assert!(pins("STM32H743VITx").rate.contains(".sys."));
        assert!(pins("STM32H745ZITx").set_up.0.contains("init_primary"));
    }
}
