//! Owns: the description of a guest's machine: its device tree.
//! Must never know: the guest's use of it.

mod additions;
mod guest;
#[cfg(test)]
mod tests;

use dtoolkit::model::{DeviceTree, DeviceTreeNode, DeviceTreeProperty};

pub(crate) use additions::{of_table as additions, of_text as additions_of};
pub(crate) use guest::{Link, Machine, tree};

/// A node: an addition to a device tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its properties in order.
    pub properties: Vec<(String, Value)>,
    /// The nodes in it, in order.
    pub children: Vec<(String, Node)>,
}

/// The value of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// None: it is there.
    Empty,
    /// Words of 32 bits.
    Cells(Vec<u32>),
    /// Texts.
    Texts(Vec<String>),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Value {
    /// One text.
    pub(crate) fn text(text: &str) -> Self {
        Self::Texts(vec![text.to_owned()])
    }

    /// Words of 64 bits, as two cells each.
    pub(crate) fn wide(words: &[u64]) -> Self {
        let cells = words
            .iter()
            .flat_map(|word| [(word >> 32) as u32, *word as u32]);
        Self::Cells(cells.collect())
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Empty => Vec::new(),
            Self::Cells(cells) => cells.iter().flat_map(|cell| cell.to_be_bytes()).collect(),
            Self::Texts(texts) => {
                let mut bytes = Vec::new();
                for text in texts {
                    bytes.extend(text.bytes().chain([0]));
                }
                bytes
            }
            Self::Bytes(bytes) => bytes.clone(),
        }
    }
}

impl Node {
    /// Sets a property.
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        match self.properties.iter_mut().find(|(own, _)| own == name) {
            Some((_, old)) => *old = value,
            None => self.properties.push((name.to_owned(), value)),
        }
    }

    /// Returns the node with a property set, for building.
    pub(crate) fn with(mut self, name: &str, value: Value) -> Self {
        self.set(name, value);
        self
    }

    /// The node of that name in it, which is made if it is not there.
    pub(crate) fn child(&mut self, name: &str) -> &mut Self {
        let place = self.children.iter().position(|(own, _)| own == name);
        let place = place.unwrap_or_else(|| {
            self.children.push((name.to_owned(), Self::default()));
            self.children.len() - 1
        });
        &mut self.children[place].1
    }

    /// Takes over what another has: its properties replace those of the same name.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (name, value) in &other.properties {
            self.set(name, value.clone());
        }
        for (name, child) in &other.children {
            self.child(name).merge(child);
        }
    }

    fn made(&self, name: &str) -> DeviceTreeNode {
        let mut node = DeviceTreeNode::new_unchecked(name);
        for (name, value) in &self.properties {
            node.add_property(DeviceTreeProperty::new_unchecked(
                name,
                value.bytes().as_slice(),
            ));
        }
        for (name, child) in &self.children {
            node.add_child(child.made(name));
        }
        node
    }

    /// The tree of which it is the root, flattened: the same bytes for the same node.
    #[must_use]
    pub fn flattened(&self) -> Vec<u8> {
        self.device_tree().to_dtb()
    }

    /// The tree as its source, for people.
    #[must_use]
    pub fn shown(&self) -> String {
        self.device_tree().to_string()
    }

    fn device_tree(&self) -> DeviceTree {
        let mut tree = DeviceTree::new();
        tree.root = self.made("");
        tree
    }
}

/// Returns whether a node can be called so (Devicetree Specification 0.4, section 2.2.1).
pub(crate) fn is_name(name: &str) -> bool {
    let (node, unit) = match name.split_once('@') {
        Some((node, unit)) => (node, Some(unit)),
        None => (name, None),
    };
    let letter = |letter: char| letter.is_ascii_alphanumeric() || ",._+-".contains(letter);
    let begins = node.starts_with(|letter: char| letter.is_ascii_alphabetic());
    begins
        && node.len() <= 31
        && node.chars().all(letter)
        && unit.is_none_or(|unit| !unit.is_empty() && unit.len() <= 31 && unit.chars().all(letter))
}

/// Returns whether a property can be called so (section 2.2.4.1).
fn is_property(name: &str) -> bool {
    let letter = |letter: char| letter.is_ascii_alphanumeric() || ",._+?#-".contains(letter);
    (1..=31).contains(&name.len()) && name.chars().all(letter)
}
