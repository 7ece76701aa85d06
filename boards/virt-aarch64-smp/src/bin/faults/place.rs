//! Owns: on which processor what faults on purpose does so, as the command line says.
//! Must never know: what it does there.

use super::cases::argument_is;

/// The words that name the processors.
const WORDS: [&str; 4] = ["on-0", "on-1", "on-2", "on-3"];
/// The processor where none is named: not the one that starts the program.
const USUAL: usize = 2;

/// The processor.
pub fn place() -> usize {
    let named = WORDS.iter().position(|word| argument_is(word));
    named.unwrap_or(USUAL)
}
