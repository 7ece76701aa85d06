//! A read-only list of records: a slice of the program's, or the packed bytes of a description.
//!
//! Owns: how records are found in either. Must never know what a record means.

/// A record that has a packed form of a fixed length.
pub trait Record<'d>: Copy {
    /// Bytes of the packed form.
    const LENGTH: usize;

    /// The record that `packed`, [`Record::LENGTH`] bytes, holds; its texts lie in `texts`.
    fn unpack(packed: &'d [u8], texts: &'d str) -> Self;

    /// Writes the packed form over zeros; its text will stand at `text_at` in the texts.
    fn pack(&self, text_at: u16, packed: &mut [u8]);

    /// Its text; empty where it has none.
    fn text(&self) -> &'d str;
}

/// A read-only list of records.
#[derive(Clone, Copy, Debug)]
pub struct Table<'d, T> {
    form: Form<'d, T>,
}

#[derive(Clone, Copy, Debug)]
enum Form<'d, T> {
    Slice(&'d [T]),
    Packed { records: &'d [u8], texts: &'d str },
}

impl<'d, T: Record<'d>> Table<'d, T> {
    /// A list of nothing.
    pub const EMPTY: Self = Self::of(&[]);

    /// The records of a slice.
    pub const fn of(records: &'d [T]) -> Self {
        Self {
            form: Form::Slice(records),
        }
    }

    /// The records whose packed forms stand in `records`, one after another; what is left at its end is ignored.
    pub const fn packed(records: &'d [u8], texts: &'d str) -> Self {
        Self {
            form: Form::Packed { records, texts },
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self.form {
            Form::Slice(records) => records.len(),
            Form::Packed { records, .. } => records.len() / T::LENGTH,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The record at `index`, from 0 on.
    pub fn get(&self, index: usize) -> Option<T> {
        match self.form {
            Form::Slice(records) => records.get(index).copied(),
            Form::Packed { records, texts } => {
                let packed = records.get(index * T::LENGTH..(index + 1) * T::LENGTH)?;
                Some(T::unpack(packed, texts))
            }
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + use<'d, T> {
        let table = *self;
        (0..self.len()).filter_map(move |index| table.get(index))
    }
}
