//! The chip that a person means by a name: as it is printed on it, or the beginning of that.
//!
//! Owns: which names of the table fit a word. Must never know: a chip.

use taktos_simulate::file::suggest::distance;

/// How many names an unknown one is answered by.
const NEAREST: usize = 8;

/// A word with fewer letters is no chip that only lacks an ending.
const SHORTEST: usize = 6;

/// Outcome of a search.
#[derive(PartialEq, Eq, Debug)]
pub enum Found<'a> {
    /// The chip's name.
    One(&'a str),
    /// Names of chips that begin so.
    Several(Vec<&'a str>),
    /// The names that are nearest to an unknown one, the nearest first.
    Nearest(Vec<&'a str>),
}

/// Finds the chip that the word names, whatever the case. An `x` of the table stands for any
/// letter, as in probe-rs: `STM32F411CEU6` is `STM32F411CEUx`. Letters after a name, such as those
/// for a reel, do not count. The beginning of one name alone is enough.
pub fn find<'a>(word: &str, names: &[&'a str]) -> Found<'a> {
    if let Some(name) = names.iter().find(|name| name.eq_ignore_ascii_case(word)) {
        return Found::One(name);
    }
    let fitting = |is_meant: fn(&str, &str) -> bool| {
        let fitting = names.iter().filter(|name| is_meant(name, word));
        let mut fitting: Vec<&'a str> = fitting.copied().collect();
        fitting.sort_unstable();
        fitting
    };
    let ways: [fn(&str, &str) -> bool; 2] = [
        |name, word| name.len() == word.len() && fits(name, word),
        |name, word| name.len() > word.len() && fits(name, word),
    ];
    for way in ways {
        match fitting(way).as_slice() {
            [] => {}
            [name] => return Found::One(name),
            several if !word.is_empty() => return Found::Several(several.to_vec()),
            _ => {}
        }
    }
    let shorter =
        fitting(|name, word| (SHORTEST..word.len()).contains(&name.len()) && fits(name, word));
    match shorter.into_iter().max_by_key(|name| name.len()) {
        Some(name) => Found::One(name),
        None => Found::Nearest(nearest(word, names)),
    }
}

/// Returns whether name and word are equal as far as the shorter one goes.
fn fits(name: &str, word: &str) -> bool {
    let separates = |letter: char| matches!(letter, '-' | '_');
    let mut pairs = name.chars().zip(word.chars());
    pairs.all(|(known, written)| {
        known.eq_ignore_ascii_case(&written)
            || known == 'x' && written.is_ascii_alphanumeric()
            || separates(known) && separates(written)
    })
}

/// Returns the names that are nearest to the word, the nearest first: by the letters that differ
/// from as many of the name, then from all of it.
fn nearest<'a>(word: &str, names: &[&'a str]) -> Vec<&'a str> {
    let length = word.chars().count();
    let mut near: Vec<_> = names
        .iter()
        .map(|name| {
            let beginning: String = name.chars().take(length).collect();
            (distance(word, &beginning), distance(word, name), *name)
        })
        .collect();
    near.sort_unstable();
    let names = near.into_iter().map(|(_, _, name)| name);
    names.take(NEAREST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 10] = [
        "GD32F103C8",
        "RP2040",
        "RP235x",
        "RP235x_riscv",
        "STM32F411CCUx",
        "STM32F411CEUx",
        "STM32F411CEYx",
        "XMC4500-F144x1024",
        "nRF52832_xxAA",
        "nRF52832_xxAB",
    ];

    #[test]
    fn forms_of_a_name_find_one_chip() {
        for (word, name) in [
            ("STM32F411CEUx", "STM32F411CEUx"),
            ("stm32f411ceux", "STM32F411CEUx"),
            ("STM32F411CEU6", "STM32F411CEUx"),
            ("STM32F411CEU6TR", "STM32F411CEUx"),
            ("STM32F411CC", "STM32F411CCUx"),
            ("gd32f103c8t6", "GD32F103C8"),
            ("nRF52832-QFAA", "nRF52832_xxAA"),
            ("RP2350", "RP235x"),
            ("RP2350A", "RP235x"),
            ("RP235x_r", "RP235x_riscv"),
            ("xmc4500", "XMC4500-F144x1024"),
        ] {
            assert_eq!(find(word, &NAMES), Found::One(name), "{word}");
        }
    }

    #[test]
    fn beginning_of_several_names_lists_them() {
        let several = |word: &str| match find(word, &NAMES) {
            Found::Several(names) => names,
            other => panic!("{word}: {other:?}"),
        };
        assert_eq!(several("STM32F411CE"), ["STM32F411CEUx", "STM32F411CEYx"]);
        assert_eq!(several("stm32f411").len(), 3);
        assert_eq!(several("nrf52832"), ["nRF52832_xxAA", "nRF52832_xxAB"]);
    }

    #[test]
    fn unknown_name_gives_the_nearest_eight() {
        let nearest = |word: &str| match find(word, &NAMES) {
            Found::Nearest(names) => names,
            other => panic!("{word}: {other:?}"),
        };
        let near = nearest("STM32F412CE");
        assert_eq!(near.len(), NEAREST);
        assert_eq!(near[..2], ["STM32F411CEUx", "STM32F411CEYx"]);
        assert_eq!(nearest("GD32F130C8")[0], "GD32F103C8");
        assert_eq!(nearest("").len(), NEAREST);
        assert_eq!(find("é", &[]), Found::Nearest(Vec::new()));
    }
}
