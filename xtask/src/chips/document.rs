//! YAML documents as trees that keep the tags of their mappings, by which the descriptions of
//! probe-rs tell kinds of memory.
//!
//! Owns: the way from a document's events to its tree. Must never know: the meaning of a key.

use anyhow::{Context, Result, ensure};
use yaml_rust2::Event;
use yaml_rust2::parser::{EventReceiver, Parser};

/// A value of a document.
#[derive(PartialEq, Debug)]
pub enum Node {
    /// A scalar, as it is written; an alias of another value is an empty one.
    Text(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, with its tag or an empty one.
    Map(String, Vec<(String, Node)>),
}

impl Node {
    /// Reads a document.
    ///
    /// # Errors
    /// If the text is no YAML, or has no value.
    pub fn read(text: &str) -> Result<Self> {
        let mut builder = Builder::default();
        Parser::new_from_str(text).load(&mut builder, false)?;
        builder.finished.context("the document is empty")
    }

    /// Returns the value of a key, if this is a mapping with it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(_, entries) = self else {
            return None;
        };
        let found = entries.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    /// Returns the text of a key.
    ///
    /// # Errors
    /// If there is no text by that key.
    pub fn text(&self, key: &str) -> Result<&str> {
        match self.get(key) {
            Some(Self::Text(text)) => Ok(text),
            _ => Err(anyhow::anyhow!("no text by the key `{key}`")),
        }
    }

    /// Returns the number of a key, decimal or hexadecimal.
    ///
    /// # Errors
    /// If there is no number by that key.
    pub fn number(&self, key: &str) -> Result<u64> {
        let text = self.text(key)?;
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        number.with_context(|| format!("`{text}` is no number"))
    }

    /// Returns whether a key says `true`.
    pub fn is(&self, key: &str) -> bool {
        self.text(key).is_ok_and(|text| text == "true")
    }

    /// Returns the values of the list by a key; none without such a list.
    pub fn list(&self, key: &str) -> &[Self] {
        match self.get(key) {
            Some(Self::List(values)) => values,
            _ => &[],
        }
    }

    /// Returns the texts of the list by a key.
    pub fn texts(&self, key: &str) -> impl Iterator<Item = &str> {
        self.list(key).iter().filter_map(|value| match value {
            Self::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// Returns the tag of a mapping; an empty one of other values.
    pub fn tag(&self) -> &str {
        match self {
            Self::Map(tag, _) => tag,
            _ => "",
        }
    }
}

/// The values that have begun, the innermost last, each with the key that waits for its value.
#[derive(Default)]
struct Builder {
    begun: Vec<(Node, Option<String>)>,
    finished: Option<Node>,
}

impl Builder {
    fn begin(&mut self, node: Node) {
        self.begun.push((node, None));
    }

    fn end(&mut self) {
        if let Some((node, _)) = self.begun.pop() {
            self.add(node);
        }
    }

    fn add(&mut self, node: Node) {
        match self.begun.last_mut() {
            Some((Node::List(values), _)) => values.push(node),
            Some((Node::Map(_, entries), key)) => match (key.take(), node) {
                (Some(key), value) => entries.push((key, value)),
                (None, Node::Text(text)) => *key = Some(text),
                // A mapping has no other keys in these documents.
                (None, _) => *key = Some(String::new()),
            },
            _ => self.finished = Some(node),
        }
    }
}

impl EventReceiver for Builder {
    fn on_event(&mut self, event: Event) {
        match event {
            Event::Scalar(text, ..) => self.add(Node::Text(text)),
            Event::Alias(_) => self.add(Node::Text(String::new())),
            Event::SequenceStart(..) => self.begin(Node::List(Vec::new())),
            Event::MappingStart(_, tag) => {
                let tag = tag.map_or(String::new(), |tag| tag.suffix);
                self.begin(Node::Map(tag, Vec::new()));
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            _ => {}
        }
    }
}

/// Reads a document that must be a mapping with a list by this key.
///
/// # Errors
/// If it is none.
pub fn with_list(text: &str, key: &str) -> Result<Node> {
    let node = Node::read(text)?;
    ensure!(!node.list(key).is_empty(), "no list by the key `{key}`");
    Ok(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_nested_values_are_kept() {
        let text = "all:\n- !Nvm\n  range:\n    start: 0x10\n    end: 32\n  cores: [a, b]\n- !Ram {is_alias: true}\n";
        let node = with_list(text, "all").unwrap();
        let [nvm, ram] = node.list("all") else {
            panic!("{node:?}");
        };
        assert_eq!((nvm.tag(), ram.tag()), ("Nvm", "Ram"));
        let range = nvm.get("range").unwrap();
        assert_eq!(range.number("start").unwrap(), 16);
        assert_eq!(range.number("end").unwrap(), 32);
        assert_eq!(nvm.texts("cores").collect::<Vec<_>>(), ["a", "b"]);
        assert!(ram.is("is_alias") && !nvm.is("is_alias"));
    }

    #[test]
    fn other_documents_are_refused() {
        for text in ["", "a: [", "all: 3\n", "- a\n"] {
            assert!(with_list(text, "all").is_err(), "{text}");
        }
        let node = Node::read("a: x\nb: []\n").unwrap();
        assert!(node.number("a").is_err() && node.text("b").is_err());
    }
}
