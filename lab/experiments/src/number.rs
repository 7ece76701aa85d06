//! Numbers as people read them: fractions of units, shares, changes.
//! Integers throughout: the same figures give the same letters everywhere.

/// Nanoseconds in milliseconds, with three decimals, cut off: `12.345`.
pub fn millis(nanos: u64) -> String {
    let micros = nanos / 1000;
    format!("{}.{:03}", micros / 1000, micros % 1000)
}

/// The part in hundredths of a per cent, rounded to the nearest; nothing of nothing.
pub fn basis_points(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole.max(1)));
    u64::try_from((part * 10_000 + whole / 2) / whole).unwrap_or(u64::MAX)
}

/// The part in millionths, rounded to the nearest.
pub fn millionths(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole.max(1)));
    u64::try_from((part * 1_000_000 + whole / 2) / whole).unwrap_or(u64::MAX)
}

/// Millionths in per cent: `0.1234`.
pub fn percent(millionths: u64) -> String {
    format!("{}.{:04}", millionths / 10_000, millionths % 10_000)
}

/// The change from `before` to `after` in hundredths of a per cent, rounded away from zero at a
/// half.
pub fn change(before: u64, after: u64) -> i64 {
    let size = i64::try_from(basis_points(before.abs_diff(after), before)).unwrap_or(i64::MAX);
    if after < before { -size } else { size }
}

/// Hundredths of a per cent with their sign: `−12.34 %`, `0.00 %`.
pub fn signed(basis_points: i64) -> String {
    let sign = match basis_points {
        ..0 => "−",
        0 => "",
        1.. => "+",
    };
    let size = basis_points.unsigned_abs();
    format!("{sign}{}.{:02} %", size / 100, size % 100)
}

/// A difference with its sign: `+2`, `0`.
pub fn with_sign(difference: i64) -> String {
    match difference {
        ..0 => format!("−{}", difference.unsigned_abs()),
        0 => "0".into(),
        1.. => format!("+{difference}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_three_decimals() {
        assert_eq!(millis(12_345_678), "12.345");
        assert_eq!(millis(999), "0.000");
        assert_eq!(millis(1_000_040_000), "1000.040");
    }

    #[test]
    fn shares_and_changes_are_rounded() {
        assert_eq!(percent(millionths(1, 3)), "33.3333");
        assert_eq!(percent(millionths(0, 0)), "0.0000");
        assert_eq!(signed(change(200, 143)), "−28.50 %");
        assert_eq!(signed(change(3, 4)), "+33.33 %");
        assert_eq!(signed(change(7, 7)), "0.00 %");
        assert_eq!(change(0, u64::MAX), i64::MAX);
        assert_eq!([-2, 0, 3].map(with_sign), ["−2", "0", "+3"]);
    }
}
