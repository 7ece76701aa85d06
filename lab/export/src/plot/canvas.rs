//! The text of an SVG: elements with escaped words and rounded coordinates.

use std::fmt::Write;

/// Place of a text relative to its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    const fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// An SVG in the making.
pub(super) struct Canvas {
    out: String,
}

impl Canvas {
    /// An empty picture; its title is also what a screen reader says.
    pub(super) fn new(width: f64, height: f64, title: &str) -> Self {
        let mut canvas = Self { out: String::new() };
        canvas.line_of(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\" \
             font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#222\">"
        ));
        canvas.line_of(&format!("<title>{}</title>", escape(title)));
        canvas.line_of(&format!(
            "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
        ));
        canvas
    }

    /// The finished text.
    pub(super) fn finish(mut self) -> String {
        self.line_of("</svg>");
        self.out
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, style: &str, words: &str) {
        let (anchor, words) = (anchor.word(), escape(words));
        self.line_of(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {style}>{words}</text>"
        ));
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), style: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.line_of(&format!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>"
        ));
    }

    pub(super) fn polyline(&mut self, points: &[(f64, f64)], style: &str) {
        let mut path = String::new();
        for (x, y) in points {
            let gap = if path.is_empty() { "" } else { " " };
            // Writing to a String cannot fail.
            let _ = write!(path, "{gap}{x:.1},{y:.1}");
        }
        self.line_of(&format!(
            "<polyline points=\"{path}\" fill=\"none\" {style}/>"
        ));
    }

    /// A rectangle with what is shown when the pointer rests on it.
    pub(super) fn bar(&mut self, corner: (f64, f64), size: (f64, f64), style: &str, tip: &str) {
        let ((x, y), (width, height), tip) = (corner, size, escape(tip));
        self.line_of(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             {style}><title>{tip}</title></rect>"
        ));
    }

    /// A dot with what is shown when the pointer rests on it.
    pub(super) fn dot(&mut self, (x, y): (f64, f64), style: &str, tip: &str) {
        let tip = escape(tip);
        self.line_of(&format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" {style}><title>{tip}</title></circle>"
        ));
    }

    fn line_of(&mut self, element: &str) {
        self.out.push_str(element);
        self.out.push('\n');
    }
}

/// The words with the characters that mean something in SVG written out.
fn escape(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(letter),
            // No XML can hold these, not even written out.
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_cannot_become_elements() {
        assert_eq!(escape("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
    }
}
