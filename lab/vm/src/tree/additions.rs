//! Owns: reading additions to a device tree: tables are nodes, values properties.
//! Must never know: the nodes of a guest's tree.

use taktos_simulate::file::reader::{Entry, Table, pairs};
use taktos_simulate::file::{FileError, Source, document};

use super::{Node, Value, is_name, is_property};

/// The deepest node.
const DEEPEST: usize = 8;

/// The node that a table describes.
pub(crate) fn of_table(table: &Table<'_>) -> Result<Node, FileError> {
    node(table, 0)
}

/// The node of a file that holds nothing else.
pub(crate) fn of_text(text: &str, file: &str) -> Result<Node, FileError> {
    let source = Source { file, text };
    let document = document(source)?;
    of_table(&Table::new(
        source,
        "the device tree",
        document.get_ref(),
        0,
    ))
}

fn node(table: &Table<'_>, depth: usize) -> Result<Node, FileError> {
    if depth > DEEPEST {
        return Err(table.error(
            format!("{} is deeper than eight nodes", table.what),
            "leave some",
        ));
    }
    let mut made = Node::default();
    for (name, entry) in pairs(table) {
        if entry.is_table() {
            if !is_name(name) {
                return Err(entry.error(
                    "is no name of a node",
                    "give a letter first, then letters, digits and , . _ + -, and an @ADDRESS if it has one",
                ));
            }
            made.children
                .push((name.to_owned(), node(&entry.table()?, depth + 1)?));
            continue;
        }
        if !is_property(name) {
            return Err(entry.error(
                "is no name of a property",
                "give at most 31 letters, digits and , . _ + ? # -",
            ));
        }
        made.properties.push((name.to_owned(), value(&entry)?));
    }
    Ok(made)
}

fn value(entry: &Entry<'_>) -> Result<Value, FileError> {
    if entry.is_list() {
        return list(entry);
    }
    if entry.number().is_some() {
        return Ok(Value::Cells(vec![cell(entry)?]));
    }
    if let Ok(flag) = entry.boolean() {
        return match flag {
            true => Ok(Value::Empty),
            false => Err(entry.error("is false", "leave it: a property that is there is true")),
        };
    }
    Ok(Value::Texts(vec![text(entry)?]))
}

fn list(entry: &Entry<'_>) -> Result<Value, FileError> {
    let list = entry.list()?;
    if list.iter().any(|one| one.number().is_some()) {
        return Ok(Value::Cells(
            list.iter().map(cell).collect::<Result<_, _>>()?,
        ));
    }
    Ok(Value::Texts(
        list.iter().map(text).collect::<Result<_, _>>()?,
    ))
}

fn cell(entry: &Entry<'_>) -> Result<u32, FileError> {
    Ok(entry.whole(0..=u64::from(u32::MAX))? as u32)
}

fn text(entry: &Entry<'_>) -> Result<String, FileError> {
    let text = entry.text()?;
    if text.contains('\0') {
        return Err(entry.error("holds a zero", "write a list of texts"));
    }
    Ok(text.to_owned())
}
