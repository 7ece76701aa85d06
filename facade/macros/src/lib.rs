//! The attributes of the crate `taktos`, which has them under its own name and shows how they are
//! used.
//!
//! A program names `taktos` alone:
//!
//! ```text
//! #[taktos::thread]
//! static MAIN: Thread<Board, 2048> = Thread::new("main");
//!
//! #[taktos::main(MAIN)]
//! fn first() {}
//!
//! #[taktos::interrupt(7)]
//! fn received() {}
//! ```
//!
//! Owns: the items that a program may put after the attributes, and the items that they become.
//! Must never know: a board. An item that differs from board to board is a macro or a constant of
//! `taktos`.

mod entry;
mod interrupt;
mod shape;
mod thread;

use proc_macro::TokenStream;
use syn::parse_macro_input;

/// The beginning of a program: the function runs in the thread that the attribute names. See
/// `taktos::main`.
#[proc_macro_attribute]
pub fn main(thread: TokenStream, function: TokenStream) -> TokenStream {
    let function = parse_macro_input!(function);
    entry::expand(thread.into(), &function)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// A thread of which the image holds a line instead of its memory. See `taktos::thread`.
#[proc_macro_attribute]
pub fn thread(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item);
    thread::expand(&arguments.into(), &item)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// The handler of an interrupt of the program's own device. See `taktos::interrupt`.
#[proc_macro_attribute]
pub fn interrupt(which: TokenStream, function: TokenStream) -> TokenStream {
    let function = parse_macro_input!(function);
    interrupt::expand(which.into(), &function)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
