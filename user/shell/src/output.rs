//! Owns: text for a terminal: lines end with a carriage return and a line feed, and the first error
//! of the line is kept. Must never know: the text.

use core::fmt;
use embedded_io::{ReadExactError, Write};

/// A line as a place for text.
pub(crate) struct Output<'a, L: Write> {
    line: &'a mut L,
    failed: Option<L::Error>,
}

impl<'a, L: Write> Output<'a, L> {
    pub(crate) fn new(line: &'a mut L) -> Self {
        Self { line, failed: None }
    }

    /// Returns the error of the line that made a text fail. An error of the text itself, which a
    /// program's command may return, ends the command alone.
    pub(crate) fn result(self, written: fmt::Result) -> Result<(), ReadExactError<L::Error>> {
        match self.failed {
            Some(error) if written.is_err() => Err(ReadExactError::Other(error)),
            _ => self.line.flush().map_err(ReadExactError::Other),
        }
    }

    fn put(&mut self, bytes: &[u8]) -> fmt::Result {
        self.line.write_all(bytes).map_err(|error| {
            self.failed = Some(error);
            fmt::Error
        })
    }
}

impl<L: Write> fmt::Write for Output<'_, L> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for part in text.split_inclusive('\n') {
            match part.strip_suffix('\n') {
                Some(start) => {
                    self.put(start.as_bytes())?;
                    self.put(b"\r\n")?;
                }
                None => self.put(part.as_bytes())?,
            }
        }
        Ok(())
    }
}
