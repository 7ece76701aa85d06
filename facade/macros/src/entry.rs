//! Owns: `#[taktos::main(THREAD, clock = FUNCTION)]`.

use crate::shape::{Gives, gives, plain};
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Error, Ident, ItemFn, Path, Result, Token};

const WHAT: &str = "the function of #[taktos::main]";
const NO_THREAD: &str =
    "name the thread that the function runs in, a static: #[taktos::main(MAIN)]";

/// The arguments of the attribute.
struct Begin {
    /// The first thread.
    thread: Path,
    /// The function that sets a chip's clock.
    clock: Option<Path>,
}

impl Parse for Begin {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let thread = input.parse();
        let thread = thread.map_err(|cause| Error::new(cause.span(), NO_THREAD))?;
        if input.is_empty() {
            return Ok(Self {
                thread,
                clock: None,
            });
        }
        input.parse::<Token![,]>()?;
        let word: Ident = input.parse()?;
        if word != "clock" {
            return Err(Error::new(
                word.span(),
                "after the thread comes `clock = function`, on a chip",
            ));
        }
        input.parse::<Token![=]>()?;
        let clock = Some(input.parse()?);
        match input.is_empty() {
            true => Ok(Self { thread, clock }),
            false => Err(input.error("nothing comes after the clock")),
        }
    }
}

/// The function, and the program's entry: on a board its start, on the host what builds the program
/// for its board and runs it there.
pub(crate) fn expand(thread: TokenStream, function: &ItemFn) -> Result<TokenStream> {
    let signature = &function.sig;
    plain(signature, WHAT)?;
    if let Some(argument) = signature.inputs.first() {
        return Err(Error::new(
            argument.span(),
            format!("{WHAT} has no arguments"),
        ));
    }
    let (name, Begin { thread, clock }) = (&signature.ident, begin(thread, signature)?);
    if name == "main" {
        return Err(Error::new(
            name.span(),
            format!(
                "{WHAT} has another name, such as `first`: the program's `main` is what the attribute makes"
            ),
        ));
    }
    let (start, kind) = match gives(signature, WHAT)? {
        Gives::Nothing => (quote!(start), quote!(fn())),
        Gives::Never => (quote!(start_endless), quote!(fn() -> !)),
    };
    Ok(quote! {
        #function

        #[cfg(target_os = "none")]
        ::taktos::board::entry!({
            ::taktos::fault::tell_reasons();
            ::taktos::board::#start(&#thread, #name)
        });

        #[cfg(target_os = "none")]
        ::taktos::__clock!(#clock);

        // A debugger finds the threads by it.
        #[cfg(target_os = "none")]
        ::taktos::__layout!();

        #[cfg(not(target_os = "none"))]
        fn main() -> ! {
            let _: (&::taktos::AnyThread<::taktos::board::Board>, #kind) = (&#thread, #name);
            ::taktos::launch(::core::env!("CARGO_BIN_NAME"))
        }
    })
}

fn begin(arguments: TokenStream, signature: &syn::Signature) -> Result<Begin> {
    match arguments.is_empty() {
        true => Err(Error::new(signature.ident.span(), NO_THREAD)),
        false => syn::parse2(arguments),
    }
}

#[cfg(test)]
mod tests {
    use super::expand;
    use quote::quote;
    use syn::parse_quote;

    #[test]
    fn a_function_that_cannot_be_the_first_is_refused_in_words() {
        for (thread, function, why) in [
            (
                quote!(MAIN, rate = 8),
                parse_quote!(
                    fn first() {}
                ),
                "`clock = function`",
            ),
            (
                quote!(MAIN, clock = clock, 8),
                parse_quote!(
                    fn first() {}
                ),
                "nothing comes after the clock",
            ),
            (
                quote!(),
                parse_quote!(
                    fn first() {}
                ),
                "name the thread",
            ),
            (
                quote!(1),
                parse_quote!(
                    fn first() {}
                ),
                "name the thread",
            ),
            (
                quote!(MAIN),
                parse_quote!(
                    fn first(number: u32) {}
                ),
                "has no arguments",
            ),
            (
                quote!(MAIN),
                parse_quote!(
                    fn first() -> u32 {
                        1
                    }
                ),
                "gives nothing back",
            ),
            (
                quote!(MAIN),
                parse_quote!(
                    async fn first() {}
                ),
                "cannot be async",
            ),
            (
                quote!(MAIN),
                parse_quote!(
                    fn first<T>() {}
                ),
                "cannot be generic",
            ),
            (
                quote!(MAIN),
                parse_quote!(
                    unsafe fn first() {}
                ),
                "cannot be unsafe",
            ),
            (
                quote!(MAIN),
                parse_quote!(
                    fn main() {}
                ),
                "has another name",
            ),
        ] {
            let said = expand(thread, &function).expect_err(why).to_string();
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn clock_of_a_chip_is_handed_on() {
        let of = |arguments| {
            let function = parse_quote!(
                fn first() {}
            );
            expand(arguments, &function)
                .expect("it can be the first")
                .to_string()
        };
        assert!(of(quote!(MAIN)).contains("__clock ! ()"));
        assert!(of(quote!(MAIN, clock = hal::clock)).contains("__clock ! (hal :: clock)"));
    }

    #[test]
    fn a_main_that_never_returns_is_started_as_such() {
        let of = |function| {
            expand(quote!(MAIN), &function)
                .expect("it can be the first")
                .to_string()
        };
        assert!(
            of(parse_quote!(
                fn first() {}
            ))
            .contains("start (& MAIN")
        );
        assert!(
            of(parse_quote!(
                fn first() -> ! {
                    loop {}
                }
            ))
            .contains("start_endless (& MAIN")
        );
    }
}
