//! Owns: `#[taktos::interrupt(NUMBER)]`, and its levels.

use crate::shape::{Gives, gives, plain};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Error, Expr, FnArg, Ident, ItemFn, Result, Token, Type};

const WHAT: &str = "the handler of #[taktos::interrupt]";
const FORM: &str = "say which interrupt: #[taktos::interrupt(NUMBER)], or on a Cortex-M #[taktos::interrupt(NUMBER, below = 0xC0)]; with the feature `pac` its name in the chip's crate";

/// The arguments of the attribute.
struct Which {
    /// The interrupt: a constant, or its name in the chip's crate.
    number: Expr,
    level: Level,
}

/// How urgent the interrupt is, against the kernel.
enum Level {
    Kernel,
    Below(Expr),
    Above(Expr),
}

impl Parse for Which {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let number = input.parse()?;
        if input.is_empty() {
            let level = Level::Kernel;
            return Ok(Self { number, level });
        }
        input.parse::<Token![,]>()?;
        let side: Ident = input.parse()?;
        input.parse::<Token![=]>()?;
        let priority = input.parse()?;
        let level = match side.to_string().as_str() {
            "below" => Level::Below(priority),
            "above" => Level::Above(priority),
            _ => {
                return Err(Error::new(
                    side.span(),
                    "a level is `below = ...` or `above = ...` the kernel's",
                ));
            }
        };
        match input.is_empty() {
            true => Ok(Self { number, level }),
            false => Err(input.error("nothing stands behind the level")),
        }
    }
}

/// The handler under another name, what puts it in its place, and under its own name the line by
/// which it is let through.
pub(crate) fn expand(which: TokenStream, function: &ItemFn) -> Result<TokenStream> {
    if which.is_empty() {
        return Err(Error::new(function.sig.ident.span(), FORM));
    }
    let Which { number, level } = syn::parse2(which)?;
    let signature = &function.sig;
    plain(signature, WHAT)?;
    if let Gives::Never = gives(signature, WHAT)? {
        return Err(Error::new(
            signature.output.span(),
            format!("{WHAT} comes back: threads wait for its end"),
        ));
    }
    let asks = asks_for_proof(function, &level)?;
    let (attributes, visibility, name) = (&function.attrs, &function.vis, &signature.ident);
    let (inputs, body) = (&signature.inputs, &function.block);
    let (handler, place) = (
        format_ident!("__{name}_handler"),
        format_ident!("__{name}_place"),
    );
    let proof = match asks {
        // The line is let through at the kernel's level alone, and no other code can name the
        // function.
        true => quote!(&unsafe { ::taktos::Interrupt::assume() }),
        false => quote!(),
    };
    // An interrupt of a chip's crate is a value of its enumeration, and its name is that of the
    // symbol in the table.
    let (value, symbol) = match &number {
        Expr::Path(path) => {
            let last = path.path.segments.last().map(|last| &last.ident);
            (quote!(#number as u32), quote!(#last))
        }
        _ => (quote!(#number), quote!()),
    };
    let (side, level) = match level {
        Level::Kernel => (quote!(kernel), quote!(Kernel)),
        Level::Below(priority) => (quote!(below), quote!(Below(#priority))),
        Level::Above(priority) => (quote!(above), quote!(Above(#priority))),
    };
    Ok(quote! {
        #[doc(hidden)]
        fn #handler(#inputs) #body

        #[doc(hidden)]
        mod #place {
            use super::*;

            pub const NUMBER: u32 = #value;

            pub extern "C" fn handle() {
                super::#handler(#proof)
            }

            ::taktos::__place!(#side, [#symbol] #number, NUMBER, handle);
        }

        #(#attributes)*
        #[allow(non_upper_case_globals)]
        #visibility static #name: ::taktos::interrupt::Line =
            ::taktos::interrupt::Line::__new(#place::NUMBER, || #place::handle(), ::taktos::interrupt::Level::#level);
    })
}

/// Whether the handler takes the proof that it runs at the kernel's level, which only one there can
/// have.
fn asks_for_proof(function: &ItemFn, level: &Level) -> Result<bool> {
    let mut inputs = function.sig.inputs.iter();
    let Some(first) = inputs.next() else {
        return Ok(false);
    };
    let is_other =
        |argument: &&FnArg| !matches!(argument, FnArg::Typed(typed) if is_proof(&typed.ty));
    if let Some(wrong) = inputs.next().or(Some(first).filter(is_other)) {
        return Err(Error::new(
            wrong.span(),
            format!("{WHAT} has no arguments, or one: the proof `&Interrupt<Board>`"),
        ));
    }
    match level {
        Level::Kernel => Ok(true),
        _ => Err(Error::new(
            first.span(),
            "the proof `&Interrupt` is for handlers at the kernel's level: this one is at another",
        )),
    }
}

/// Whether it is a shared reference to something called `Interrupt`; whether that is the kernel's,
/// the compiler sees.
fn is_proof(argument: &Type) -> bool {
    let Type::Reference(reference) = argument else {
        return false;
    };
    let Type::Path(path) = reference.elem.as_ref() else {
        return false;
    };
    reference.mutability.is_none()
        && path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "Interrupt")
}

#[cfg(test)]
mod tests {
    use super::expand;
    use quote::quote;
    use syn::parse_quote;

    #[test]
    fn what_cannot_be_a_handler_is_refused_in_words() {
        for (which, function, why) in [
            (
                quote!(),
                parse_quote!(
                    fn due() {}
                ),
                "say which interrupt",
            ),
            (
                quote!(7, beside = 1),
                parse_quote!(
                    fn due() {}
                ),
                "`below = ...` or `above = ...`",
            ),
            (
                quote!(7, below = 1, 2),
                parse_quote!(
                    fn due() {}
                ),
                "nothing stands behind",
            ),
            (
                quote!(7),
                parse_quote!(
                    fn due(number: u32) {}
                ),
                "or one: the proof",
            ),
            (
                quote!(7),
                parse_quote!(
                    fn due(proof: &mut Interrupt) {}
                ),
                "or one: the proof",
            ),
            (
                quote!(7),
                parse_quote!(
                    fn due(proof: &Interrupt, number: u32) {}
                ),
                "or one: the proof",
            ),
            (
                quote!(7, above = 1),
                parse_quote!(
                    fn due(proof: &Interrupt) {}
                ),
                "at the kernel's level",
            ),
            (
                quote!(7),
                parse_quote!(
                    fn due() -> u32 {
                        1
                    }
                ),
                "gives nothing back",
            ),
            (
                quote!(7),
                parse_quote!(
                    fn due() -> ! {
                        loop {}
                    }
                ),
                "comes back",
            ),
            (
                quote!(7),
                parse_quote!(
                    async fn due() {}
                ),
                "cannot be async",
            ),
            (
                quote!(7),
                parse_quote!(
                    extern "C" fn due() {}
                ),
                "has no ABI",
            ),
        ] {
            let said = expand(which, &function).expect_err(why).to_string();
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn a_handler_that_asks_for_the_proof_gets_it() {
        let of = |function| {
            expand(quote!(7), &function)
                .expect("it is a handler")
                .to_string()
        };
        assert!(
            of(parse_quote!(
                fn due(proof: &taktos::Interrupt) {}
            ))
            .contains("assume")
        );
        assert!(
            !of(parse_quote!(
                fn due() {}
            ))
            .contains("assume")
        );
    }
}
