//! Owns: task sets in other tools' forms.
//! Must never know: those tools' code; the forms are known from their documents.
//!
//! What changes the meaning of a task and is not understood is refused by its
//! name. What only tells the other tool how to run is left out; where that may
//! matter, a warning says so.

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
