//! The page that lists all results of a folder.
//!
//! Owns: `index.html` next to results. Must never know: the makers of results; it uses their
//! manifests and reports.

use std::fs;
use std::path::Path;

use minijinja::{Environment, context};
use serde::Deserialize;

use crate::directory::{WriteError, replace_file};

const TEMPLATE: &str = include_str!("index.html");
/// The page.
const PAGE: &str = "index.html";

/// Fields that are read of a manifest.
#[derive(Deserialize)]
struct Manifest {
    #[serde(alias = "subject")]
    title: Option<String>,
    question: Option<String>,
}

/// Lists all results in the folder, by name, in its `index.html`. Folders without a manifest and a
/// report are none.
///
/// # Errors
/// When the page cannot be written.
///
/// # Panics
/// Never: the template is part of this crate, and a test renders it.
pub fn renew_index(folder: &Path) -> Result<(), WriteError> {
    let mut results = results(folder);
    results.sort();
    let mut environment = Environment::new();
    environment
        .add_template(PAGE, TEMPLATE)
        .expect("the template is well formed");
    let page = environment.get_template(PAGE).expect("it was just added");
    let html = page.render(context! { results });
    replace_file(
        &folder.join(PAGE),
        html.expect("the template uses what it is given"),
    )
}

/// The names of results, each with its title and its question.
fn results(folder: &Path) -> Vec<(String, String, String)> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let result = |entry: fs::DirEntry| {
        let place = entry.path();
        let name = entry.file_name().into_string().ok()?;
        let manifest = fs::read_to_string(place.join("manifest.json")).ok()?;
        let manifest: Manifest = serde_json::from_str(&manifest).ok()?;
        let whole = !name.starts_with('.') && place.join("report.html").is_file();
        whole.then(|| {
            let title = manifest.title.unwrap_or_else(|| name.clone());
            (name, title, manifest.question.unwrap_or_default())
        })
    };
    entries.flatten().filter_map(result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_results_are_listed_by_name() {
        let folder = std::env::temp_dir().join(format!("taktos-index-{}", std::process::id()));
        for (name, manifest) in [
            ("zeta", r#"{"title": "Z <b>", "question": "why?"}"#),
            ("alpha", r#"{"subject": "hello on a board"}"#),
            ("broken", "no manifest"),
        ] {
            let place = folder.join(name);
            fs::create_dir_all(&place).unwrap();
            fs::write(place.join("manifest.json"), manifest).unwrap();
            fs::write(place.join("report.html"), "").unwrap();
        }
        fs::create_dir_all(folder.join("foreign")).unwrap();
        renew_index(&folder).unwrap();
        let page = fs::read_to_string(folder.join(PAGE)).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let links: Vec<&str> = page.split("href=\"").skip(1).collect();
        assert_eq!(links.len(), 2, "{page}");
        assert!(links[0].starts_with("alpha/report.html"), "{page}");
        assert!(
            links[1].contains("Z &lt;b&gt;") && links[1].contains("why?"),
            "{page}"
        );
    }
}
