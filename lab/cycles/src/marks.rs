//! Marks: addresses that symbols of the image name; the clock reports when a processor passes one.
//!
//! Owns: the form of those symbols: `taktos.mark.NAME.begin`, `taktos.mark.NAME.end` and
//! `taktos.point.NAME`, each perhaps followed by `.2`, `.3`, and so on where one mark is at several
//! places.

/// Which mark of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edge {
    /// The end of an interval. First in order, so that an interval that ends where
    /// another begins ends first.
    End,
    /// The beginning of an interval.
    Begin,
    /// A point of which only the passing is recorded.
    Point,
}

/// A mark of an image.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// Which of the interval's marks.
    pub edge: Edge,
    /// The interval's or point's name: `[a-z0-9-]`.
    pub name: String,
}

impl Mark {
    /// A point of that name.
    #[must_use]
    pub fn point(name: &str) -> Self {
        Self {
            edge: Edge::Point,
            name: name.to_owned(),
        }
    }

    /// Returns the mark that a symbol names, if it is one.
    #[must_use]
    pub fn parse(symbol: &str) -> Option<Self> {
        if let Some(rest) = symbol.strip_prefix("taktos.point.") {
            let mut parts = rest.split('.');
            return numbered(parts.next()?, parts, Edge::Point);
        }
        let rest = symbol.strip_prefix("taktos.mark.")?;
        let mut parts = rest.split('.');
        let name = parts.next()?;
        let edge = match parts.next()? {
            "begin" => Edge::Begin,
            "end" => Edge::End,
            _ => return None,
        };
        numbered(name, parts, edge)
    }
}

/// The mark, when its name is valid and at most a number follows.
fn numbered<'a>(name: &str, mut rest: impl Iterator<Item = &'a str>, edge: Edge) -> Option<Mark> {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let valid = !name.is_empty()
        && name.bytes().all(letter)
        && rest.next().is_none_or(number)
        && rest.next().is_none();
    valid.then(|| Mark {
        edge,
        name: name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(edge: Edge, name: &str) -> Option<Mark> {
        Some(Mark {
            edge,
            name: name.to_owned(),
        })
    }

    #[test]
    fn symbols_of_the_contract() {
        assert_eq!(
            Mark::parse("taktos.mark.direct-send.begin"),
            mark(Edge::Begin, "direct-send")
        );
        assert_eq!(
            Mark::parse("taktos.mark.yield.end.2"),
            mark(Edge::End, "yield")
        );
        assert_eq!(
            Mark::parse("taktos.point.ready"),
            mark(Edge::Point, "ready")
        );
        assert_eq!(
            Mark::parse("taktos.point.ready.3"),
            mark(Edge::Point, "ready")
        );
    }

    #[test]
    fn other_symbols_are_none() {
        for symbol in [
            "taktos.mark.yield",
            "taktos.mark.yield.middle",
            "taktos.mark.Yield.begin",
            "taktos.mark.yield.begin.x",
            "taktos.mark..begin",
            "taktos.layout.tcb_info",
            "main",
        ] {
            assert_eq!(Mark::parse(symbol), None, "{symbol}");
        }
    }
}
