//! Owns: what a call gives back, in the model's words.

use taktos_kernel::Error;

/// Result of a call.
pub type Answer = Result<Value, Error>;

/// Values that a call returns, if it returns any.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Value {
    /// The first word of a message.
    pub word: usize,
    /// The second word of a message.
    pub second: usize,
    /// The number of the thread that it came from.
    pub sender: Option<usize>,
    /// Whether that thread waits for a reply.
    pub wants_reply: bool,
}

/// Success without anything more.
pub const DONE: Answer = Ok(Value {
    word: 0,
    second: 0,
    sender: None,
    wants_reply: false,
});

/// Success with a message of one word.
pub const fn word(word: usize) -> Answer {
    Ok(Value {
        word,
        second: 0,
        sender: None,
        wants_reply: false,
    })
}

/// Value of a poll that was ended by the object with this number, and what came of that.
pub fn polled(number: usize, outcome: Answer) -> Value {
    const REFUSED: usize = usize::MAX / 2;
    Value {
        word: outcome.map_or_else(|error| REFUSED + error as usize, |value| value.word),
        second: number,
        ..Value::default()
    }
}
