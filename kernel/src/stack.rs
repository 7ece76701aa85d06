//! Owns: stacks of machine words. Must never know: what the words mean.

use crate::Lifo;

/// Up to `N` machine words, last in first out: indices of free places, addresses, handles.
///
/// All that it can do is [`Lifo`]'s.
pub type Stack<S, const N: usize> = Lifo<S, usize, N>;
