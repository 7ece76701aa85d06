//! Owns: `#[taktos::thread]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, Item, ItemStatic, Result};

const WHAT: &str =
    "#[taktos::thread] belongs to a static: static NAME: Thread<Board, STACK> = Thread::new(...);";

/// The static, in the form that the board has for it.
pub(crate) fn expand(arguments: &TokenStream, item: &Item) -> Result<TokenStream> {
    if !arguments.is_empty() {
        return Err(Error::new(
            arguments.span(),
            "#[taktos::thread] has no arguments",
        ));
    }
    let Item::Static(ItemStatic {
        attrs,
        vis,
        ident,
        ty,
        expr,
        ..
    }) = item
    else {
        return Err(Error::new(item.span(), WHAT));
    };
    Ok(quote! {
        ::taktos::__thread!([#(#attrs)* #vis static] #ident #ty = #expr);
    })
}

#[cfg(test)]
mod tests {
    use super::expand;
    use quote::quote;
    use syn::parse_quote;

    #[test]
    fn other_items_are_refused_in_words() {
        let function = parse_quote!(
            fn worker() {}
        );
        let said = expand(&quote!(), &function).expect_err("no static");
        assert!(said.to_string().contains("belongs to a static"), "{said}");
        let thread = parse_quote!(
            static WORKER: Thread<Board, 1024> = Thread::new("worker");
        );
        let said = expand(&quote!(MAIN), &thread).expect_err("an argument");
        assert!(said.to_string().contains("no arguments"), "{said}");
        let taken = expand(&quote!(), &thread).expect("a static").to_string();
        assert!(taken.contains("__thread !"), "{taken}");
    }
}
