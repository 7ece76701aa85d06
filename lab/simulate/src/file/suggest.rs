//! Owns: the known word that a user meant.
//! Must never know: the meaning of the words.

/// The known word that was meant: the only one that begins with three letters
/// or more of what was written, or the nearest one, when at most one letter in
/// three differs, and at most two.
#[must_use]
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let mut begun = known.iter().filter(|word| word.starts_with(written));
    if let (3.., Some(word), None) = (written.len(), begun.next(), begun.next()) {
        return Some(word);
    }
    let near = |word: &'a str| (distance(written, word), word);
    let (distance, word) = known.into_iter().map(near).min_by_key(|(near, _)| *near)?;
    let longest = written.chars().count().max(word.chars().count());
    (distance <= longest.div_ceil(3).min(2) && distance < longest).then_some(word)
}

/// The hint for a word that is not known: the nearest one, or all.
#[must_use]
pub fn hint<'a>(written: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(written, known.clone()) {
        Some(word) => format!("did you mean `{word}`?"),
        None => {
            let words: Vec<&str> = known.into_iter().collect();
            match words.as_slice() {
                [] => "there is none that could be named here".into(),
                words => format!("known are: {}", words.join(", ")),
            }
        }
    }
}

/// How many letters must be put in, taken out, changed or swapped with their
/// neighbour to make one word the other (restricted Damerau-Levenshtein).
/// O(n·m), with words cut at 64 letters.
#[must_use]
pub fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.to_lowercase().chars().take(64).collect();
    let right: Vec<char> = right.to_lowercase().chars().take(64).collect();
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for (place, row) in rows.iter_mut().enumerate() {
        row[0] = place;
    }
    rows[0] = (0..=right.len()).collect();
    for i in 1..=left.len() {
        for j in 1..=right.len() {
            let change = usize::from(left[i - 1] != right[j - 1]);
            let mut least = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            least = least.min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found() {
        let known = ["period", "deadline", "priority", "edf"];
        for (written, meant) in [
            ("perid", Some("period")),
            ("Period", Some("period")),
            ("dealdine", Some("deadline")),
            ("prio", Some("priority")),
            ("load", None),
            ("efd", Some("edf")),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, known), meant, "{written}");
        }
        assert_eq!(hint("efd", known), "did you mean `edf`?");
        assert_eq!(hint("zzz", ["a", "bc"]), "known are: a, bc");
    }
}
