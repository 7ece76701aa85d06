//! Elements, attributes and texts of an ESI file, with errors that name the line.
//!
//! Owns: access to XML. Must never know: the meaning of an element.

use roxmltree::Node;

use crate::error::EsiError;
use crate::number::{boolean, number};

/// An error at an element.
pub(crate) fn error(
    node: Node<'_, '_>,
    cause: impl Into<String>,
    hint: impl Into<String>,
) -> EsiError {
    let line = node.document().text_pos_at(node.range().start).row;
    EsiError {
        line,
        cause: cause.into(),
        hint: hint.into(),
    }
}

/// The children with this name.
pub(crate) fn children<'a, 'i>(
    node: Node<'a, 'i>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children()
        .filter(move |child| child.has_tag_name(name))
}

/// The first child with this name.
pub(crate) fn child<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> Option<Node<'a, 'i>> {
    children(node, name).next()
}

/// The child with this name, which must be there.
pub(crate) fn need<'a, 'i>(
    node: Node<'a, 'i>,
    name: &'static str,
) -> Result<Node<'a, 'i>, EsiError> {
    child(node, name).ok_or_else(|| {
        let own = node.tag_name().name();
        error(
            node,
            format!("<{own}> has no <{name}>"),
            format!("add <{name}> inside"),
        )
    })
}

/// The text of an element, without the space around it.
pub(crate) fn text<'a>(node: Node<'a, '_>) -> &'a str {
    node.text().unwrap_or("").trim()
}

/// The text of the child with this name; of several, the English one (LcId 1033).
pub(crate) fn name_of<'a>(node: Node<'a, '_>) -> &'a str {
    let is_english = |name: &Node<'_, '_>| name.attribute("LcId") == Some("1033");
    let chosen = children(node, "Name")
        .find(is_english)
        .or_else(|| child(node, "Name"));
    chosen.map_or("", text)
}

/// The number that an element holds.
pub(crate) fn number_of(node: Node<'_, '_>) -> Result<u32, EsiError> {
    parse(node, text(node))
}

/// The number in the child with this name.
pub(crate) fn number_in(node: Node<'_, '_>, name: &'static str) -> Result<Option<u32>, EsiError> {
    child(node, name).map(number_of).transpose()
}

/// The number in an attribute.
pub(crate) fn attribute(node: Node<'_, '_>, name: &str) -> Result<Option<u32>, EsiError> {
    node.attribute(name)
        .map(|value| parse(node, value))
        .transpose()
}

/// Returns the number in an attribute, of at most `limit`.
pub(crate) fn bounded(node: Node<'_, '_>, name: &str, limit: u32) -> Result<u32, EsiError> {
    let value = attribute(node, name)?.unwrap_or(0);
    at_most(node, value, limit)
}

/// A number that must not be larger than `limit`.
pub(crate) fn at_most(node: Node<'_, '_>, value: u32, limit: u32) -> Result<u32, EsiError> {
    if value <= limit {
        return Ok(value);
    }
    let own = node.tag_name().name();
    Err(error(
        node,
        format!("<{own}> has {value}, more than {limit}"),
        "give a smaller number",
    ))
}

/// Returns whether an attribute is there and true.
pub(crate) fn flag(node: Node<'_, '_>, name: &str) -> bool {
    node.attribute(name).is_some_and(boolean)
}

fn parse(node: Node<'_, '_>, value: &str) -> Result<u32, EsiError> {
    number(value).ok_or_else(|| {
        error(
            node,
            format!("`{value}` is no number of 32 bits"),
            "write a decimal number, or #x and hexadecimal digits",
        )
    })
}
