//! Tables of the book that repeat baselines. A command that saves a baseline rewrites them, and the
//! checks of the project compare them with it.

pub mod figures;
pub mod several;

use taktos_experiments::baseline::Baselines;
use taktos_runner::failure::shown;
use taktos_runner::workspace::Workspace;

/// Result of a comparison for each row or table: if it differs, the reason with its place.
pub type Compared = Vec<Result<(), String>>;

/// Compares each table that a line of `text` announces, as `marked` recognises it, with the
/// checked-in baselines: `compare` is given the mark and the number of lines up to it.
fn each_marked<'t, M>(
    workspace: &Workspace,
    text: &'t str,
    marked: impl Fn(&'t str) -> Option<M>,
    compare: impl Fn(&Baselines, M, usize) -> Compared,
) -> Compared {
    let marks = text.lines().zip(1..);
    let mut marks = marks
        .filter_map(|(line, number)| Some((marked(line)?, number)))
        .peekable();
    if marks.peek().is_none() {
        return Compared::new();
    }
    match Baselines::checked_in(workspace) {
        Ok(all) => marks
            .flat_map(|(mark, lines)| compare(&all, mark, lines))
            .collect(),
        Err(error) => vec![Err(shown(&error))],
    }
}
