//! Fenced blocks of code in a page.

use taktos_experiments::experiment::line_of;

/// A fenced block of code.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block<'a> {
    /// Text after the opening fence.
    pub head: &'a str,
    /// The number of its first line.
    pub line: usize,
    /// The lines between the fences.
    pub text: &'a str,
}

impl<'a> Block<'a> {
    /// The first word of the head: the language.
    pub fn language(&self) -> &'a str {
        self.head.split(',').next().unwrap_or_default()
    }

    /// Returns the words after the language.
    pub fn words(&self) -> impl Iterator<Item = &'a str> {
        self.head.split(',').skip(1)
    }
}

/// The blocks of a page, in their order.
pub(super) fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("\n```") {
        let opened = &rest[start + 4..];
        let Some(head) = opened.find('\n') else { break };
        let body = &opened[head..];
        let Some(end) = body.find("\n```") else { break };
        let inside = &body[..end];
        found.push(Block {
            head: opened[..head].trim(),
            line: line_of(text, text.len() - body.len()) + 1,
            text: inside.strip_prefix('\n').unwrap_or(inside),
        });
        // Continues after the whole closing fence, which opens nothing.
        rest = &body[end + 4..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_with_their_lines() {
        let page = "# Start\n\n```console\n$ hello\n```\ntext\n\n```rust,no_run\nlet a = 1;\n```\n";
        let found = blocks(page);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].language(), found[0].line), ("console", 4));
        assert_eq!((found[1].language(), found[1].line), ("rust", 9));
        assert_eq!(found[1].text, "let a = 1;");
        assert_eq!(found[1].words().collect::<Vec<_>>(), ["no_run"]);
    }
}
