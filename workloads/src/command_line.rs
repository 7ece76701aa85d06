//! The command line of an image: words that it gets when it starts.
//!
//! Owns: how the words are separated.
//! Must never know: where they come from, or what they mean.

use core::mem::MaybeUninit;
use taktos_kernel::System;

/// The most bytes of all words.
pub const LONGEST_LINE: usize = 2560;

/// Room for a command line.
pub type Line = [MaybeUninit<u8>; LONGEST_LINE];
/// A command line before one was read.
pub const NO_LINE: Line = [const { MaybeUninit::uninit() }; LONGEST_LINE];

/// A system that passes words to its programs.
pub trait CommandLine: System {
    /// Reads the command line, which begins with the program's name, into `buffer`; an empty text
    /// where there is none, or where it does not fit.
    fn command_line(buffer: &mut Line) -> &str;
}

/// Calls `act` with each word after the program's name; with none if there are none, or if they are
/// more than 2560 bytes. Needs a stack of four kilobytes.
pub fn each_argument<S: CommandLine>(mut act: impl FnMut(&str)) {
    let mut line = NO_LINE;
    let words = S::command_line(&mut line).trim_end_matches('\0');
    words.split(' ').skip(1).for_each(&mut act);
}

/// Whether `word` is one of the words. Needs a stack of four kilobytes.
pub fn is_argument<S: CommandLine>(word: &str) -> bool {
    let mut found = false;
    each_argument::<S>(|told| found |= told == word);
    found
}

/// The last word, as `read` understands it; `usual` where there is none. A word that `read` does
/// not understand ends the program with the status 2, and `refusal` on the console.
pub fn last_argument<S: CommandLine, T>(
    usual: T,
    refusal: &str,
    read: impl Fn(&str) -> Option<T>,
) -> T {
    let mut wanted = usual;
    each_argument::<S>(|word| match read(word) {
        Some(read) => wanted = read,
        None => {
            S::write(refusal);
            S::exit(2);
        }
    });
    wanted
}
