//! Owns: which functions an attribute can stand before, and what is said of others.

use syn::spanned::Spanned;
use syn::{Error, Result, ReturnType, Signature, Type};

/// Refuses what cannot be called as a plain function: `what` says of which attribute.
pub(crate) fn plain(signature: &Signature, what: &str) -> Result<()> {
    let refuse = |span, why: &str| Err(Error::new(span, format!("{what} {why}")));
    if let Some(word) = &signature.asyncness {
        return refuse(
            word.span(),
            "cannot be async: it runs in a thread or a handler of the kernel",
        );
    }
    if let Some(word) = &signature.constness {
        return refuse(word.span(), "cannot be const");
    }
    if let Some(word) = &signature.unsafety {
        return refuse(
            word.span(),
            "cannot be unsafe: the kernel calls it, and knows of no conditions",
        );
    }
    if let Some(word) = &signature.abi {
        return refuse(word.span(), "has no ABI: it is called from Rust");
    }
    if !signature.generics.params.is_empty() {
        return refuse(signature.generics.span(), "cannot be generic");
    }
    Ok(())
}

/// The kind of a function's return type.
pub(crate) enum Gives {
    Nothing,
    Never,
}

/// Refuses a function that gives a value.
pub(crate) fn gives(signature: &Signature, what: &str) -> Result<Gives> {
    match &signature.output {
        ReturnType::Default => Ok(Gives::Nothing),
        ReturnType::Type(_, given) => match given.as_ref() {
            Type::Never(_) => Ok(Gives::Never),
            Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(Gives::Nothing),
            other => Err(Error::new(
                other.span(),
                format!("{what} gives nothing back: there is nobody to take it"),
            )),
        },
    }
}
