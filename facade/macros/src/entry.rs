//! Owns: `#[taktos::main(THREAD)]`.

use crate::shape::{Gives, gives, plain};
use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, ItemFn, Path, Result};

const WHAT: &str = "the function of #[taktos::main]";

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
    let (name, thread) = (&signature.ident, thread_of(thread, signature)?);
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

fn thread_of(thread: TokenStream, signature: &syn::Signature) -> Result<Path> {
    syn::parse2(thread).map_err(|cause| {
        let text = "name the thread that the function runs in, a static: #[taktos::main(MAIN)]";
        match cause.to_string().contains("end of input") {
            true => Error::new(signature.ident.span(), text),
            false => Error::new(cause.span(), text),
        }
    })
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
