//! Owns: taking values out of a TOML table, with an error that names the line, the table and the
//! key of a wrong value.
//! Must never know: the meaning of the values.

use std::ops::RangeInclusive;

use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{FileError, Source};
use super::{positive, suggest, text};
use crate::Execution;

/// Units at the end of a key, and their nanoseconds: `period_ms = 5`.
const SUFFIXES: [(&str, u64); 4] = [
    ("_s", 1_000_000_000),
    ("_ms", 1_000_000),
    ("_us", 1_000),
    ("_ns", 1),
];

/// Table with keys that are taken one by one; [`Table::finish`] refuses the keys that are left.
pub struct Table<'t> {
    source: Source<'t>,
    /// Name of the item that the table describes, for errors: `task T3`.
    pub what: String,
    entries: &'t DeTable<'t>,
    /// Where the table begins.
    begin: usize,
    known: Vec<String>,
}

impl<'t> Table<'t> {
    /// Of these entries; `what` names it in errors, and it begins at byte `begin` of the source.
    pub fn new(
        source: Source<'t>,
        what: impl Into<String>,
        entries: &'t DeTable<'t>,
        begin: usize,
    ) -> Self {
        Self {
            source,
            what: what.into(),
            entries,
            begin,
            known: Vec::new(),
        }
    }

    /// The value of the key, if there is one.
    pub fn get(&mut self, key: &str) -> Option<Entry<'t>> {
        self.known.push(key.to_owned());
        let mut entries = self.entries.iter();
        let (name, value) = entries.find(|(name, _)| name.get_ref() == key)?;
        Some(Entry {
            source: self.source,
            what: format!("{}: {key}", self.what),
            begin: name.span().start,
            value,
        })
    }

    /// The value of the key, which must be there.
    ///
    /// # Errors
    /// [`FileError`] when it is not; `example` is a value for the hint.
    pub fn need(&mut self, key: &str, example: &str) -> Result<Entry<'t>, FileError> {
        self.get(key).ok_or_else(|| {
            let cause = format!("{} has no `{key}`", self.what);
            self.error(cause, format!("add a line such as {key} = {example}"))
        })
    }

    /// A time: `key = "5 ms"`, or `key_ms = 5`.
    ///
    /// # Errors
    /// [`FileError`] when it is none, or there twice.
    pub fn time(&mut self, key: &str) -> Result<Option<Duration>, FileError> {
        let found = self.written(key)?;
        found.map(|(entry, unit)| entry.time(unit)).transpose()
    }

    /// A length of execution: also a range or several values.
    ///
    /// # Errors
    /// [`FileError`] when it is none.
    pub fn execution(&mut self, key: &str) -> Result<Option<Execution>, FileError> {
        match self.written(key)? {
            None => Ok(None),
            Some((entry, None)) => entry.parsed(text::execution).map(Some),
            Some((entry, unit)) => Ok(Some(Execution::Fixed(entry.time(unit)?))),
        }
    }

    /// Yes or no, if the key is there.
    ///
    /// # Errors
    /// [`FileError`] when it is neither.
    pub fn flag(&mut self, key: &str) -> Result<Option<bool>, FileError> {
        self.get(key).map(|entry| entry.boolean()).transpose()
    }

    /// Returns the value of the key with or without a unit after it, and the unit.
    fn written(&mut self, key: &str) -> Result<Option<(Entry<'t>, Option<u64>)>, FileError> {
        let mut found = self.get(key).map(|entry| (entry, None));
        for (suffix, unit) in SUFFIXES {
            let Some(entry) = self.get(&format!("{key}{suffix}")) else {
                continue;
            };
            if found.is_some() {
                return Err(entry.error("is given twice", "leave one of the two"));
            }
            found = Some((entry, Some(unit)));
        }
        Ok(found)
    }

    /// The tables of an array of tables, `[[key]]`; none without the key.
    ///
    /// # Errors
    /// [`FileError`] when the key has another value.
    pub fn tables(&mut self, key: &str) -> Result<Vec<Table<'t>>, FileError> {
        let Some(entry) = self.get(key) else {
            return Ok(Vec::new());
        };
        let Some(array) = entry.value.get_ref().as_array() else {
            return Err(entry.error(
                "is one table",
                format!("write [[{key}]], in double brackets"),
            ));
        };
        let mut tables = Vec::with_capacity(array.len());
        for (place, value) in array.iter().enumerate() {
            let Some(table) = value.get_ref().as_table() else {
                return Err(entry.error(
                    "holds something else than tables",
                    format!("write [[{key}]]"),
                ));
            };
            let what = format!("{key} number {}", place + 1);
            tables.push(Table::new(self.source, what, table, value.span().start));
        }
        Ok(tables)
    }

    /// The line in which it begins, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.source.line_of(self.begin)
    }

    /// An error that concerns the whole table.
    #[must_use]
    pub fn error(&self, cause: impl AsRef<str>, hint: impl AsRef<str>) -> FileError {
        self.source.error(self.begin, cause, hint)
    }

    /// Refuses a name that another table of the kind has.
    ///
    /// # Errors
    /// [`FileError`] when one of the `others` is called so.
    pub fn distinct<'n>(
        &self,
        kind: &str,
        name: &str,
        mut others: impl Iterator<Item = &'n str>,
    ) -> Result<(), FileError> {
        match others.any(|other| other == name) {
            true => {
                let cause = format!("two {kind}s are called {name}");
                Err(self.error(cause, "give each its own name"))
            }
            false => Ok(()),
        }
    }

    /// The tables under `key`, each read by `read`, which hands over all of its keys; no two of
    /// them have one name.
    ///
    /// # Errors
    /// [`FileError`] of the first table that is wrong.
    pub fn named_tables<T>(
        &mut self,
        key: &str,
        name: impl Fn(&T) -> &str,
        mut read: impl FnMut(&mut Table<'_>) -> Result<T, FileError>,
    ) -> Result<Vec<T>, FileError> {
        let mut all = Vec::new();
        for mut table in self.tables(key)? {
            let one = read(&mut table)?;
            table.distinct(key, name(&one), all.iter().map(&name))?;
            table.finish()?;
            all.push(one);
        }
        Ok(all)
    }

    /// A time that must be there.
    ///
    /// # Errors
    /// [`FileError`] when it is not, or is none.
    pub fn need_time(&mut self, key: &str) -> Result<Duration, FileError> {
        let time = positive(self, key)?;
        time.ok_or_else(|| {
            let cause = format!("{} has no `{key}`", self.what);
            self.error(cause, format!("add a line such as {key} = \"10 ms\""))
        })
    }

    /// Refuses windows that do not fit into their frame.
    ///
    /// # Errors
    /// [`FileError`] when they are longer together.
    pub fn fit_into(
        &self,
        frame: Duration,
        windows: impl Iterator<Item = Duration>,
    ) -> Result<(), FileError> {
        match windows.fold(Duration::ZERO, Duration::saturating_add) > frame {
            true => Err(self.error(
                format!("{}: the frame is shorter than its windows", self.what),
                "make it as long as their sum",
            )),
            false => Ok(()),
        }
    }

    /// Refuses keys that were not taken.
    ///
    /// # Errors
    /// [`FileError`] at the first such key, with the known key that was meant.
    pub fn finish(self) -> Result<(), FileError> {
        let mut entries = self.entries.iter();
        let asked = |name: &str| self.known.iter().any(|known| known == name);
        let Some((name, _)) = entries.find(|(name, _)| !asked(name.get_ref())) else {
            return Ok(());
        };
        let known = self.known.iter().map(String::as_str);
        let bare = known.filter(|key| !SUFFIXES.iter().any(|(suffix, _)| key.ends_with(suffix)));
        let cause = format!("{} has no key `{}`", self.what, name.get_ref());
        let hint = suggest::hint(name.get_ref(), bare);
        Err(self.source.error(name.span().start, cause, hint))
    }
}

/// A value and the key that it belongs to.
pub struct Entry<'t> {
    source: Source<'t>,
    what: String,
    begin: usize,
    value: &'t Spanned<DeValue<'t>>,
}

impl<'t> Entry<'t> {
    /// Returns the line of the key, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.source.line_of(self.begin)
    }

    /// An error in the key's line.
    #[must_use]
    pub fn error(&self, cause: impl AsRef<str>, hint: impl AsRef<str>) -> FileError {
        let cause = format!("{} {}", self.what, cause.as_ref());
        self.source.error(self.begin, cause, hint)
    }

    fn wrong(&self, wanted: &str) -> FileError {
        let found = match self.value.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number with a fraction",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.error(format!("is {found}"), format!("give {wanted}"))
    }

    /// A text.
    ///
    /// # Errors
    /// [`FileError`] when it is something else.
    pub fn text(&self) -> Result<&'t str, FileError> {
        self.value
            .get_ref()
            .as_str()
            .ok_or_else(|| self.wrong("a text in quotes"))
    }

    /// A time as `parse` reads it from its written form.
    ///
    /// # Errors
    /// [`FileError`] when it is no text, or none that `parse` reads.
    pub fn parsed<T>(&self, parse: impl FnOnce(&str) -> Result<T, String>) -> Result<T, FileError> {
        let text = match self.value.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) => {
                return Err(self.error("is a number without a unit", "write it as \"100 ms\""));
            }
            _ => self.text()?,
        };
        parse(text).map_err(|cause| {
            self.error(
                format!("is wrong: {cause}"),
                "times are written like \"100 ms\" or \"250 us\"",
            )
        })
    }

    /// A value as `parse` reads it from a text; `form` is the hint.
    ///
    /// # Errors
    /// [`FileError`] when it is no text, or none that `parse` reads.
    pub fn read<T>(
        &self,
        parse: impl FnOnce(&str) -> Result<T, String>,
        form: &str,
    ) -> Result<T, FileError> {
        parse(self.text()?).map_err(|cause| self.error(format!("is wrong: {cause}"), form))
    }

    /// The whole number as it is written, of any radix; none when it is something else.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        let number = self.value.get_ref().as_integer()?;
        u64::from_str_radix(number.as_str(), number.radix()).ok()
    }

    /// A time, as a text with its unit, or as a number of `unit` nanoseconds.
    fn time(&self, unit: Option<u64>) -> Result<Duration, FileError> {
        let Some(unit) = unit else {
            return self.parsed(text::duration);
        };
        let number = match self.value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            DeValue::Float(number) => number.as_str(),
            _ => {
                return Err(
                    self.wrong("a number, or leave the unit off the key and write \"100 ms\"")
                );
            }
        };
        text::scaled(number.trim_start_matches('+'), unit)
            .map_err(|cause| self.error(format!("is wrong: {cause}"), "give a number of 0 or more"))
    }

    /// A whole number in the range.
    ///
    /// # Errors
    /// [`FileError`] when it is something else, or out of range.
    pub fn whole(&self, range: RangeInclusive<u64>) -> Result<u64, FileError> {
        let Some(number) = self.value.get_ref().as_integer() else {
            return Err(self.wrong("a whole number"));
        };
        let value = u64::from_str_radix(number.as_str(), number.radix());
        match value {
            Ok(value) if range.contains(&value) => Ok(value),
            _ => {
                let (from, to) = (range.start(), range.end());
                let cause = format!("is {}, out of range", number.as_str());
                Err(self.error(cause, format!("give a number from {from} to {to}")))
            }
        }
    }

    /// True or false.
    ///
    /// # Errors
    /// [`FileError`] when it is something else.
    pub fn boolean(&self) -> Result<bool, FileError> {
        self.value
            .get_ref()
            .as_bool()
            .ok_or_else(|| self.wrong("true or false"))
    }

    /// A set of processors: `"0-3"`, `[0, 1]`, or one number.
    ///
    /// # Errors
    /// [`FileError`] when it is none, or empty.
    pub fn cpus(&self) -> Result<CpuSet, FileError> {
        let most = Cpu::COUNT as u64 - 1;
        let set = match self.value.get_ref() {
            DeValue::Integer(_) => Cpu::new(self.whole(0..=most)? as usize)
                .into_iter()
                .collect(),
            DeValue::Array(_) => {
                let mut set = CpuSet::EMPTY;
                for entry in self.list()? {
                    let cpu = Cpu::new(entry.whole(0..=most)? as usize);
                    set = cpu.map_or(set, |cpu| set.with(cpu));
                }
                set
            }
            _ => {
                let text = self.text()?;
                text::cpus(text).map_err(|cause| {
                    self.error(
                        format!("is wrong: {cause}"),
                        "sets are written like \"0-3,5\"",
                    )
                })?
            }
        };
        if set.is_empty() {
            return Err(self.error("names no processor", "name at least one, such as \"0-3\""));
        }
        Ok(set)
    }

    /// The values of a list; errors name the line of each.
    ///
    /// # Errors
    /// [`FileError`] when it is no list.
    pub fn list(&self) -> Result<Vec<Entry<'t>>, FileError> {
        let Some(array) = self.value.get_ref().as_array() else {
            return Err(self.wrong("a list in brackets"));
        };
        let entry = |value: &'t Spanned<DeValue<'t>>| Entry {
            source: self.source,
            what: self.what.clone(),
            begin: value.span().start,
            value,
        };
        Ok(array.iter().map(entry).collect())
    }

    /// Whether it is a list.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.value.get_ref().is_array()
    }

    /// Whether it is a table.
    #[must_use]
    pub fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    /// A table.
    ///
    /// # Errors
    /// [`FileError`] when it is something else.
    pub fn table(&self) -> Result<Table<'t>, FileError> {
        let Some(table) = self.value.get_ref().as_table() else {
            return Err(self.wrong("a table"));
        };
        Ok(Table::new(self.source, &*self.what, table, self.begin))
    }

    /// One of several words.
    ///
    /// # Errors
    /// [`FileError`] when it is another, with the one that was meant.
    pub fn choice<T: Copy>(&self, known: &[(&'static str, T)]) -> Result<T, FileError> {
        let text = self.text()?;
        let found = known.iter().find(|(word, _)| *word == text);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let hint = suggest::hint(text, known.iter().map(|(word, _)| *word));
            self.error(format!("is `{text}`, which is not known"), hint)
        })
    }
}

/// The names and values of a table that is a map, in the order of the file.
#[must_use]
pub fn pairs<'t>(table: &Table<'t>) -> Vec<(&'t str, Entry<'t>)> {
    let entry = |(name, value): (
        &'t Spanned<std::borrow::Cow<'t, str>>,
        &'t Spanned<DeValue<'t>>,
    )| {
        let entry = Entry {
            source: table.source,
            what: format!("{}: {}", table.what, name.get_ref()),
            begin: name.span().start,
            value,
        };
        (&**name.get_ref(), entry)
    };
    table.entries.iter().map(entry).collect()
}
