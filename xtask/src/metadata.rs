//! Owns: cargo's metadata of the tree's own crates. Must never know: what is made of it.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use taktos_runner::image::{cargo, output_of};
use taktos_runner::workspace::Workspace;

/// All of it, without the crates that they depend on.
///
/// # Errors
/// When cargo refuses a manifest; its words say which.
pub fn of(workspace: &Workspace) -> Result<Value> {
    let words = ["metadata", "--format-version", "1", "--no-deps"];
    let output = output_of(cargo(workspace).args(words))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo metadata: {said}");
    serde_json::from_slice(&output.stdout).context("cargo metadata")
}

/// Returns the crates, each as cargo describes it.
///
/// # Errors
/// As [`of`].
pub fn packages(workspace: &Workspace) -> Result<Vec<Value>> {
    let metadata = of(workspace)?;
    let packages = metadata["packages"].as_array();
    packages.cloned().context("metadata without packages")
}
