//! Figures that others published: columns next to ours, read from `experiments/published`.

use anyhow::{Context, Result};
use serde::Deserialize;
use taktos_runner::failure::Failure;
use taktos_runner::workspace::Workspace;

/// Reads a file of published figures.
///
/// # Errors
/// When there is no such file, or it is no TOML.
pub fn read(workspace: &Workspace, file: &str) -> Result<toml::Table> {
    let path = workspace.path(&format!("experiments/published/{file}.toml"));
    let text = std::fs::read_to_string(&path).map_err(|cause| {
        Failure::error(
            format!(
                "cannot read the published figures {}: {cause}",
                workspace.shown(&path)
            ),
            "name a file of experiments/published without its ending",
        )
    })?;
    text.parse()
        .with_context(|| format!("{} is no TOML", workspace.shown(&path)))
}

/// Returns where the figures come from: the source's title and platform.
pub fn source(table: &toml::Table) -> String {
    let word = |key: &str| {
        table
            .get("source")
            .and_then(|source| source.get(key))
            .and_then(toml::Value::as_str)
    };
    let title = word("title").unwrap_or("unnamed source");
    match word("platform") {
        Some(platform) => format!("\"{title}\"; {platform}"),
        None => format!("\"{title}\""),
    }
}

/// A list of numbers in a table of the file.
///
/// # Errors
/// When it is not there, or holds something else than whole numbers.
pub fn numbers(table: &toml::Table, section: &str, key: &str) -> Result<Vec<u64>> {
    let values = table.get(section).and_then(|section| section.get(key));
    let values = values.and_then(toml::Value::as_array);
    let values = values.with_context(|| format!("the published figures lack [{section}] {key}"))?;
    values
        .iter()
        .map(|value| {
            value
                .as_integer()
                .and_then(|number| u64::try_from(number).ok())
        })
        .collect::<Option<_>>()
        .with_context(|| format!("the published [{section}] {key} are no counts"))
}

/// Other kernels' operations.
#[derive(Debug, Default, Deserialize)]
pub struct Peers {
    /// The systems: the key of their figures, and their full name.
    pub systems: toml::map::Map<String, toml::Value>,
    /// The operations.
    pub operations: toml::map::Map<String, toml::Value>,
}

/// Published figures of one operation.
#[derive(Debug, Default, Deserialize)]
pub struct PeerOperation {
    /// Meaning of the operation.
    pub meaning: String,
    /// The most modelled cycles that are allowed.
    pub goal: Option<u64>,
    /// Further note on it.
    pub note: Option<String>,
    /// The systems' figures: instructions, cycles.
    #[serde(flatten)]
    pub systems: std::collections::BTreeMap<String, (u64, u64)>,
}

impl Peers {
    /// Reads other kernels' operations from a table of published figures.
    ///
    /// # Errors
    /// When the table has another shape.
    pub fn of(table: &toml::Table) -> Result<Self> {
        table
            .clone()
            .try_into()
            .context("the published operations have another shape")
    }

    /// Returns the published figures of the operation, if there are any.
    ///
    /// # Errors
    /// If it has another shape.
    pub fn operation(&self, name: &str) -> Result<Option<PeerOperation>> {
        let value = self.operations.get(name).cloned();
        let operation = value.map(toml::Value::try_into).transpose();
        operation.with_context(|| format!("the published operation {name} has another shape"))
    }
}
