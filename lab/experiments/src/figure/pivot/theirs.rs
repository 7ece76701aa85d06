//! Figures that others published for a row.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use taktos_runner::workspace::Workspace;

use super::cell::Figure;
use crate::experiment::{Pivot, Shown};
use crate::published;
use crate::samples::{Group, Unit};

/// Published figures by the names of their files.
pub(super) type Publications = BTreeMap<String, toml::Table>;

/// The files of published figures that the columns are of, by their names.
pub(super) fn publications(pivot: &Pivot, workspace: &Workspace) -> Result<Publications> {
    let own = pivot.columns.iter().map(|column| &column.published);
    let names = own.chain([&pivot.published]).flatten();
    let read = |name: &String| Ok((name.clone(), published::read(workspace, name)?));
    names.map(read).collect()
}

/// Returns the published figure of a row: `path` is the key in the file, in which the row's label
/// replaces `{label}`.
pub(super) fn published_figure(
    theirs: Option<&toml::Table>,
    path: &str,
    (pivot, group): (&Pivot, &Group<'_>),
    shown: Option<Shown>,
) -> Result<Figure> {
    let mut keys = path.to_owned();
    for (label, value) in pivot.rows.iter().zip(&group.key) {
        let name = pivot.names.get(value).unwrap_or(value);
        keys = keys.replace(&format!("{{{label}}}"), name);
    }
    let theirs = theirs.context("a column of published figures needs the key `published`")?;
    let mut steps = keys.split('.');
    let first = steps.next().and_then(|key| theirs.get(key));
    let Some(value) = steps.fold(first, |value, key| value?.get(key)) else {
        return Ok(Figure::None);
    };
    let hundredths = |value: &toml::Value| {
        let whole = value.as_integer().map(|number| number as f64);
        let number = whole.or_else(|| value.as_float());
        number.map(|number| (number * 100.0).round() as i64)
    };
    let figure = match (shown, value) {
        (Some(Shown::Change), toml::Value::Array(ends)) => match ends.as_slice() {
            [low, high] => hundredths(low)
                .zip(hundredths(high))
                .map(|(low, high)| Figure::Change(low, high)),
            _ => None,
        },
        (Some(Shown::Change), value) => hundredths(value).map(|one| Figure::Change(one, one)),
        (Some(Shown::Difference), value) => value.as_integer().map(Figure::Difference),
        (_, toml::Value::Table(of)) => {
            let all = ["min", "avg", "max"].map(|key| of.get(key).and_then(count));
            match all {
                [Some(least), Some(mean), Some(greatest)] => {
                    Some(Figure::Three([least, mean, greatest]))
                }
                _ => None,
            }
        }
        (_, value) => count(value).map(|count| Figure::Measured(Unit::Number, count)),
    };
    match figure {
        Some(figure) => Ok(figure),
        None => bail!("the published {keys} has another shape than the figure asks for"),
    }
}

fn count(value: &toml::Value) -> Option<u64> {
    value
        .as_integer()
        .and_then(|count| u64::try_from(count).ok())
}
