//! Owns: the liberties that rt-app and its preprocessor take with JSON: comments, a comma after the
//! last entry, a key without a value.
//! Must never know: the meaning of the keys.
//!
//! Removed parts are replaced by blanks, so that errors name the right line.

/// The text without these liberties. Other errors in it stay for the reader of JSON.
pub(super) fn strict(text: &str) -> String {
    completed(&without_comments(text))
}

/// Comments of both kinds, as blanks. One that does not end stays.
fn without_comments(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = comment(rest);
        match length {
            Some(length) => left.extend(rest[..length].chars().map(blank)),
            None => left.push_str(&rest[..token(rest, first)]),
        }
        rest = &rest[length.unwrap_or_else(|| token(rest, first))..];
    }
    left
}

/// The bytes of the comment with which the text begins.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let inside = text.strip_prefix("/*")?;
    inside.find("*/").map(|end| end + 4)
}

/// Lines stay lines.
const fn blank(letter: char) -> char {
    if letter == '\n' { '\n' } else { ' ' }
}

/// The bytes of the string or the letter with which the text begins.
fn token(text: &str, first: char) -> usize {
    if first != '"' {
        return first.len_utf8();
    }
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// Commas that nothing follows as blanks; keys without a value have none.
fn completed(text: &str) -> String {
    let mut strict = String::with_capacity(text.len());
    let mut inside = Vec::new();
    let mut last = None;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (written, behind) = rest.split_at(token(rest, first));
        let next = behind.trim_start().chars().next();
        let ends = matches!(next, Some(',' | '}'));
        let is_key = inside.last() == Some(&'{') && matches!(last, Some('{' | ','));
        match first {
            ',' if matches!(next, Some('}' | ']')) => strict.push(' '),
            '"' if is_key && ends => strict.extend([written, ":null"]),
            _ => strict.push_str(written),
        }
        match first {
            '{' | '[' => inside.push(first),
            '}' | ']' => drop(inside.pop()),
            _ => {}
        }
        last = Some(first)
            .filter(|letter| !letter.is_whitespace())
            .or(last);
        rest = behind;
    }
    strict
}

#[cfg(test)]
mod tests {
    use super::strict;

    #[test]
    fn what_is_strict_stays_as_it_is() {
        for text in [
            "{ \"a\": [1, \"b\", \"c\"], \"d\": \"e\", \"f\": {} }",
            "{ \"/* no */ comment\": \"// \\\" , }\", \"k\\\\\": 1 }",
            "\u{e9} /* without an end",
        ] {
            assert_eq!(strict(text), text);
        }
    }

    #[test]
    fn liberties_become_blanks_on_their_lines() {
        for (written, read) in [
            ("{ /* a\n b */ \"c\": 1 }", "{     \n      \"c\": 1 }"),
            ("[1, // two\n2]", "[1,       \n2]"),
            ("{ \"a\": [1, ], }", "{ \"a\": [1  ]  }"),
            ("[ 1, /* , */ ]", "[ 1          ]"),
            (
                "{ \"a\", \"b\": \"c\", \"d\" }",
                "{ \"a\":null, \"b\": \"c\", \"d\":null }",
            ),
        ] {
            assert_eq!(strict(written), read);
        }
    }
}
