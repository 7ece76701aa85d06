//! Numbers as ESI files write them (ETG.2000, "HexDecValue"): decimal, or `#x` and hexadecimal
//! digits.
//!
//! Owns: their form. Must never know: their places.

/// A number of 32 bits; a negative one as its two's complement.
pub(crate) fn number(text: &str) -> Option<u32> {
    let text = text.trim();
    let hexadecimal = ["#x", "#X", "0x"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix));
    if let Some(digits) = hexadecimal {
        return u32::from_str_radix(digits, 16).ok();
    }
    if text.starts_with('-') {
        return text.parse::<i32>().ok().map(|value| value as u32);
    }
    text.parse().ok()
}

pub(crate) fn boolean(text: &str) -> bool {
    matches!(text.trim(), "1" | "true")
}

/// Bytes in hexadecimal digits, least significant first, as `DefaultData` has them; the first four
/// count.
pub(crate) fn data(text: &str) -> Option<u32> {
    let text = text.trim();
    if !text.is_ascii() || text.len() % 2 == 1 {
        return None;
    }
    let mut value = 0;
    for place in (0..text.len()).step_by(2) {
        let byte = u32::from_str_radix(&text[place..place + 2], 16).ok()?;
        if place < 8 {
            value |= byte << (4 * place);
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal_or_hexadecimal() {
        assert_eq!(number("42"), Some(42));
        assert_eq!(number(" #x1a00 "), Some(0x1A00));
        assert_eq!(number("-2"), Some(0xFFFF_FFFE));
        assert_eq!(number("#xFFFFFFFF"), Some(u32::MAX));
        for wrong in ["", "#x", "1a", "4294967296", "#x100000000", "-"] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn data_are_least_significant_byte_first() {
        assert_eq!(data("0100"), Some(1));
        assert_eq!(data("92010200"), Some(0x0002_0192));
        assert_eq!(data("0000000099"), Some(0));
        assert_eq!(data(""), Some(0));
        for wrong in ["1", "0g", "\u{e9}"] {
            assert_eq!(data(wrong), None, "{wrong}");
        }
    }
}
