//! A user's own devices: from ESI files, as an experiment names them, to the file that the
//! segment's partition is given.
//!
//! Owns: the places of the files' devices in the segment, and the properties that an ESI file does
//! not state. Must never know: the file's form; the making of a run.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Deserialize;
use taktos_fieldbus::{Delays, Device, Esi, Oscillator, Placed, describe};
use taktos_runner::failure::{Failure, one_line};

/// The most devices of a segment, as the program has it.
const MOST: usize = 16;
/// Times of the SII and of the application: less than those of most devices, so that starting up
/// does not hide the measured effect.
const SII_NS: u32 = 5_000;
const REACTION_NS: u32 = 20_000;

/// A device of the segment, from the MainDevice on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Named {
    /// The ESI file, from the experiment's file on.
    pub esi: PathBuf,
    /// The type or the product code of the device in it; may be left out where the file has one
    /// device.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The revision; without one, the newest.
    pub revision: Option<u32>,
    /// How much faster than true its oscillator is, in parts per billion.
    #[serde(default)]
    pub drift_ppb: i32,
    /// How long a frame takes from the device before, and back past this one to it, in
    /// nanoseconds.
    #[serde(default = "forward")]
    pub forward_ns: u32,
    /// See [`Named::forward_ns`].
    #[serde(default = "back")]
    pub back_ns: u32,
}

/// Delay of the devices of the experiment's own segment.
const fn forward() -> u32 {
    480
}

const fn back() -> u32 {
    360
}

/// Returns the description of these devices, with their files next to the experiment's `file`.
///
/// # Errors
/// If a file cannot be read or is no ESI file, a device is not in it, or the segment cannot play a
/// device.
pub fn described(devices: &[Named], file: &Path) -> Result<Vec<u8>> {
    if devices.len() > MOST {
        return Err(Failure::error(
            format!("{} devices are too many", devices.len()),
            format!("name {MOST} at most"),
        ));
    }
    let found = devices.iter().map(|named| find(named, file));
    let found = found.collect::<Result<Vec<_>>>()?;
    let placed: Vec<Placed<'_>> = devices.iter().zip(&found).map(placed).collect();
    describe(&placed).map_err(|error| {
        Failure::error(
            format!("the segment cannot play these devices: {error:?}"),
            "leave out the device that is named",
        )
    })
}

fn find(named: &Named, file: &Path) -> Result<Device> {
    let path = file.with_file_name("").join(&named.esi);
    let shown = named.esi.display();
    let text = std::fs::read_to_string(&path).map_err(|cause| {
        let experiment = file.display();
        Failure::error(
            format!("{shown}: {cause}"),
            format!("name an ESI file, from the folder of {experiment} on"),
        )
    })?;
    let esi = Esi::parse(&text).map_err(|error| {
        Failure::error(
            format!("{shown}:{}: {}", error.line, error.cause),
            error.hint,
        )
    })?;
    let found = match &named.kind {
        Some(kind) => esi.device(kind, named.revision),
        None => match esi.devices.as_slice() {
            [only] => Some(only),
            _ => None,
        },
    };
    found.cloned().ok_or_else(|| absent(named, &esi))
}

fn absent(named: &Named, esi: &Esi) -> anyhow::Error {
    let shown = named.esi.display();
    let mut types: Vec<String> = esi.devices.iter().map(called).collect();
    types.dedup();
    let which = match &named.kind {
        Some(kind) => format!("has no device `{}` of that revision", one_line(kind)),
        None => "has more than one device, or none".to_owned(),
    };
    Failure::error(
        format!("{shown} {which}"),
        format!("say `type` of a device; it has: {}", types.join(", ")),
    )
}

fn called(device: &Device) -> String {
    format!("{} (revision {:#010x})", device.type_name, device.revision)
}

fn placed<'a>((named, device): (&Named, &'a Device)) -> Placed<'a> {
    let Named {
        drift_ppb,
        forward_ns,
        back_ns,
        ..
    } = *named;
    let reaction_ns = match device.mailbox {
        Some(_) => REACTION_NS,
        None => 0,
    };
    Placed {
        device,
        behaviour: device.behaviour(),
        oscillator: Oscillator {
            drift_ppb,
            start_ns: 0,
        },
        delays: Delays {
            forward_ns,
            back_ns,
            sii_ns: SII_NS,
            reaction_ns,
        },
        alias: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRIVE: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fieldbus/tests/experiment.toml"
    );

    fn named(words: &str) -> Named {
        toml::from_str(words).unwrap()
    }

    fn refused(words: &str) -> String {
        let error = described(&[named(words)], Path::new(DRIVE)).unwrap_err();
        format!("{error:#}")
    }

    #[test]
    fn devices_are_described_in_their_order() {
        let axis = named("esi = \"drive.xml\"\ntype = \"AXIS\"\ndrift-ppb = 9");
        let one = described(std::slice::from_ref(&axis), Path::new(DRIVE)).unwrap();
        let two = described(&[axis.clone(), axis], Path::new(DRIVE)).unwrap();
        assert_eq!(two.len() - one.len(), one.len() - 16);
    }

    #[test]
    fn what_cannot_be_is_refused_in_words() {
        let absent = refused("esi = \"nothing.xml\"");
        assert!(absent.contains("nothing.xml"), "{absent}");
        let wrong = refused("esi = \"esi.rs\"");
        assert!(wrong.starts_with("esi.rs:1: no XML"), "{wrong}");
        let other = refused("esi = \"drive.xml\"\ntype = \"EL1008\"");
        assert!(other.contains("no device `EL1008`"), "{other}");
        let many = vec![named("esi = \"drive.xml\""); MOST + 1];
        assert!(described(&many, Path::new(DRIVE)).is_err());
    }
}
