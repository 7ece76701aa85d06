//! Owns: how people write sizes and addresses.
//! Must never know: the contents of the places.

use taktos_simulate::file::FileError;
use taktos_simulate::file::reader::{Entry, Table};

/// Units and their bytes, the largest first.
const UNITS: [(&str, u64); 4] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
];

/// Form of sizes, for hints.
pub(super) const SIZES: &str = "sizes are written like \"64 KiB\", \"128 MiB\" or \"1 GiB\"";

/// A size with its unit: `64 KiB`, `128 MiB`.
///
/// # Errors
/// When it is no whole number with a unit, or too large.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let end = text.find(|letter: char| !letter.is_ascii_digit());
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let unit = unit.trim();
    if number.is_empty() {
        return Err(format!("`{text}` is no size"));
    }
    let Some((_, bytes)) = UNITS.into_iter().find(|(name, _)| *name == unit) else {
        return Err(match unit {
            "" => format!("`{text}` has no unit"),
            _ => format!("`{unit}` is no unit: take B, KiB, MiB or GiB"),
        });
    };
    let number = number.parse::<u64>().ok();
    let size = number.and_then(|number| number.checked_mul(bytes));
    size.filter(|size| *size < 1 << 48)
        .ok_or_else(|| format!("`{text}` is too large"))
}

/// The size as it is written, in the largest unit of which it is a whole number.
#[must_use]
pub fn shown_size(bytes: u64) -> String {
    let whole = |unit: u64| bytes >= unit && bytes.is_multiple_of(unit);
    let unit = UNITS.into_iter().find(|(_, unit)| whole(*unit));
    let (name, unit) = unit.unwrap_or(("B", 1));
    format!("{} {name}", bytes / unit)
}

/// The size of a key.
pub(super) fn size_of(entry: &Entry<'_>) -> Result<u64, FileError> {
    if let Some(number) = entry.number() {
        let cause = format!("is {number} without a unit");
        return Err(entry.error(cause, SIZES));
    }
    entry.read(size, SIZES)
}

/// An address: a whole number, such as `0x0901_0000`.
pub(super) fn address(entry: &Entry<'_>) -> Result<u64, FileError> {
    let wrong = || entry.error("is no address", "addresses are written like 0x0901_0000");
    let number = entry.number().ok_or_else(wrong)?;
    Some(number)
        .filter(|number| *number < 1 << 48)
        .ok_or_else(wrong)
}

/// The longest name, in bytes.
const LONGEST_NAME: usize = 32;
/// Form of names, for hints.
const NAMES: &str = "give a name without blanks: up to 32 ASCII letters and digits, `-`, `_` and `.`, a letter or digit first";

/// The name of a table, which files and lines of the console are called by: of letters and digits,
/// `-`, `_` and `.`, not beginning with one of the last three. The table is called `kind name` from
/// then on.
pub(super) fn name(table: &mut Table<'_>, kind: &str, example: &str) -> Result<String, FileError> {
    let entry = table.need("name", example)?;
    let name = entry.text()?;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if name.is_empty() || name.len() > LONGEST_NAME {
        return Err(entry.error("is no name: it is empty or too long", NAMES));
    }
    if let Some(odd) = name.chars().find(|letter| !is_plain(*letter)) {
        let cause = format!("is no name: it has {odd:?}");
        return Err(entry.error(cause, NAMES));
    }
    if name.starts_with(['-', '_', '.']) {
        return Err(entry.error(
            format!("is no name: it begins with {:?}", &name[..1]),
            NAMES,
        ));
    }
    table.what = format!("{kind} {name}");
    Ok(name.to_owned())
}

/// The text of a key, if there is one.
pub(super) fn optional(table: &mut Table<'_>, key: &str) -> Result<Option<String>, FileError> {
    let text = |entry: Entry<'_>| entry.text().map(str::to_owned);
    table.get(key).map(text).transpose()
}

/// The set as it is written: `0-2`.
pub(super) fn shown_cpus(cpus: taktos_schedule::CpuSet) -> String {
    taktos_simulate::file::text::shown_cpus(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_shown() {
        for (text, bytes) in [
            ("64 KiB", 64 << 10),
            (" 128MiB ", 128 << 20),
            ("1 GiB", 1 << 30),
            ("0 B", 0),
            ("100 B", 100),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for bytes in [0, 100, 4096, 3 << 20, 5 << 30, (1 << 30) + 1] {
            assert_eq!(size(&shown_size(bytes)), Ok(bytes), "{}", shown_size(bytes));
        }
        for (text, words) in [
            ("64", "no unit"),
            ("64 kB", "`kB` is no unit"),
            ("MiB", "no size"),
            ("1.5 MiB", "no unit"),
            ("999999999 GiB", "too large"),
            ("99999999999999999999 B", "too large"),
        ] {
            assert!(size(text).unwrap_err().contains(words), "{text}");
        }
    }
}
