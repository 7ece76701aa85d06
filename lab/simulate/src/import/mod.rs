//! Owns: task sets in other tools' forms.
//! Must never know: those tools' code; the forms are known from their documents.
//!
//! A part that changes the meaning of a task and is not understood is refused by its name. A part
//! that only sets how the other tool runs is left out; if that may matter, a warning reports it.

mod json;
mod relaxed;
pub(crate) mod rtapp;
pub(crate) mod simso;

#[cfg(test)]
mod tests;

/// A name without blanks, as tasks and locks must have.
fn name_of(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join("-")
}
