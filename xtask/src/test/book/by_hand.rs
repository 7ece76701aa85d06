//! Owns: the lines by which the book starts the emulator by hand: each is run twice, on the program of its page, and must
//! say the same.
//! Must never know: what the program is.

use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use taktos_emulator::Board;

use super::Tally;
use super::block::Block;
use super::rust::Compiler;
use taktos_cli::workspace::Workspace;

/// How an emulator's line begins.
const EMULATOR: &str = "qemu-system-";
/// What makes a run's time that of its instructions, so that a busy machine changes nothing.
const COUNTED: [&str; 2] = ["-icount", "shift=0,sleep=off"];

/// The lines of a page that start the emulator, each with the number of its first.
fn lines(blocks: &[Block<'_>]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let shells = blocks
        .iter()
        .filter(|block| matches!(block.language(), "sh" | "console"));
    for block in shells {
        let mut rest = block.text.lines().enumerate();
        while let Some((number, line)) = rest.next() {
            let mut whole = line.trim().trim_start_matches("$ ").to_owned();
            while let Some(begun) = whole.strip_suffix('\\') {
                let next = rest.next().map_or("", |(_, line)| line);
                whole = format!("{begun}{}", next.trim());
            }
            if whole.starts_with(EMULATOR) {
                found.push((block.line + number, whole));
            }
        }
    }
    found
}

/// Runs each such line of a page.
pub(super) fn check(
    workspace: &Workspace,
    compiler: &mut Compiler,
    page: &str,
    blocks: &[Block<'_>],
) -> Result<Tally> {
    let mut all = Tally::default();
    for (line, words) in lines(blocks) {
        let place = format!("{page}:{line}");
        let program = blocks.iter().rev().filter(|block| block.line < line);
        let program = program.filter(|block| block.language() == "rust");
        let found = program
            .clone()
            .find_map(|block| Some((block, block.words().find_map(Board::named)?)));
        let Some((block, board)) = found else {
            all.add(Tally::fail(format!(
                "{place}: no program of a board stands before it\n"
            )));
            continue;
        };
        match compiler.linked(workspace, page, block, board)? {
            Ok(image) => all.add(twice(&place, &words, &image.display().to_string())?),
            Err(said) => all.add(Tally::fail(said)),
        }
    }
    Ok(all)
}

/// Runs the line twice, with this image instead of its own.
fn twice(place: &str, line: &str, image: &str) -> Result<Tally> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if !words.windows(2).any(|pair| pair == COUNTED) {
        let counted = COUNTED.join(" ");
        return Ok(Tally::fail(format!(
            "{place}: without {counted} a busy machine changes what is said\n"
        )));
    }
    let Some(kernel) = words.iter().position(|word| *word == "-kernel") else {
        return Ok(Tally::fail(format!("{place}: it starts no image\n")));
    };
    let own = words
        .get_mut(kernel + 1)
        .context("an image stands behind -kernel")?;
    *own = image;
    let run = || -> Result<(bool, String)> {
        let output = Command::new(words[0])
            .args(&words[1..])
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("{} does not start", words[0]))?;
        let said = [output.stdout, output.stderr].concat();
        Ok((
            output.status.success(),
            String::from_utf8_lossy(&said).into_owned(),
        ))
    };
    let (first, second) = (run()?, run()?);
    Ok(match (&first, &second) {
        _ if first != second => {
            Tally::fail(format!("{place}: two runs differ: {first:?}, {second:?}\n"))
        }
        ((true, said), _) if !said.trim().is_empty() => Tally::pass(),
        ((_, said), _) => Tally::fail(format!("{place}: it fails, or says nothing: {said}\n")),
    })
}

#[cfg(test)]
mod tests {
    use super::super::block::blocks;
    use super::*;

    #[test]
    fn lines_are_joined_and_uncounted_ones_refused() {
        let page = "# Start\n\n```sh\ncargo build\nqemu-system-arm -M a \\\n    -kernel b\n```\n";
        let found = lines(&blocks(page));
        assert_eq!(found, [(5, "qemu-system-arm -M a -kernel b".to_owned())]);
        let tally = twice("p:5", &found[0].1, "c").unwrap();
        assert!(
            tally.failed == 1 && tally.said.contains("-icount"),
            "{}",
            tally.said
        );
    }
}
