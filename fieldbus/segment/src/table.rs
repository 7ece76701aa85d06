//! A read-only list of records: a slice of the program's, or the packed bytes of a description.
//!
//! Owns: access to the records of either. Must never know: the meaning of a record.

/// A record that has a packed form of a fixed length.
pub trait Record<'d>: Copy {
    /// Bytes of the packed form.
    const LENGTH: usize;

    /// Unpacks the record in `packed`, which has [`Record::LENGTH`] bytes; its texts are in
    /// `texts`.
    fn unpack(packed: &'d [u8], texts: &'d str) -> Self;

    /// Writes the packed form over zeros; its text will be at `text_at` in the texts.
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

    /// Creates a table of the records that `records` holds in packed form, one after another; a
    /// remainder at its end is ignored.
    pub const fn packed(records: &'d [u8], texts: &'d str) -> Self {
        Self {
            form: Form::Packed { records, texts },
        }
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        match self.form {
            Form::Slice(records) => records.len(),
            Form::Packed { records, .. } => records.len() / T::LENGTH,
        }
    }

    /// Returns whether there is none.
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
