//! How long each call of a kernel for several processors holds the one lock, at the longest.
//!
//! Owns: the names of the calls, from an image's line tables. Must never know: the limits of the
//! holds.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use rustc_demangle::demangle;
use taktos_emulator::{Lines, Record, Source};

use crate::fault::without_types;

/// Places of the sources of the kernel's calls, and of the code that an interrupt runs at its end.
const KERNEL: &str = "kernel/src/";
const INTERRUPT: &str = "arch/common/src/block.rs";

/// Returns the longest hold of each call in a run of the image, in instructions. A hold that
/// followed another processor's is not included: the lock was taken out of line, where nothing
/// identifies the caller.
///
/// # Errors
/// If the image cannot be read.
pub fn longest(image: &Path, record: &Record) -> Result<BTreeMap<String, u64>> {
    let elf = std::fs::read(image).with_context(|| image.display().to_string())?;
    let file = object::File::parse(elf.as_slice())?;
    let lines = Lines::of(&file)?;
    let mut longest = BTreeMap::new();
    for hold in &record.holds {
        if let Some(call) = call(&lines.sources(hold.place)) {
            let most: &mut u64 = longest.entry(call).or_default();
            *most = hold.instructions.max(*most);
        }
    }
    Ok(longest)
}

/// Returns the call of an instruction, which may be inlined in the program: the outermost function
/// of the kernel's, after the path of its module.
fn call(places: &[Source]) -> Option<String> {
    places.iter().rev().find_map(|place| {
        let module = module(place.file.as_deref()?)?;
        let name = format!("{:#}", demangle(place.function.as_deref()?));
        let name = without_types(&name).rsplit("::").next()?;
        Some(format!("{}::{name}", module.replace('/', "::")))
    })
}

/// The path of the module that a file is.
fn module(file: &str) -> Option<&str> {
    if file.ends_with(INTERRUPT) {
        return Some("interrupt");
    }
    let (_, path) = file.rsplit_once(KERNEL)?;
    Some(path.trim_end_matches(".rs").trim_end_matches("/mod"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(function: &str, file: &str) -> Source {
        Source {
            function: Some(function.into()),
            file: Some(file.into()),
            line: None,
        }
    }

    #[test]
    fn a_hold_is_of_the_outermost_call_of_the_kernel() {
        let places = [
            place("take", "/x/arch/aarch64/src/smp/lock.rs"),
            place("mask", "/x/kernel/src/critical_section.rs"),
            place("give<Board>", "/x/kernel/src/object/semaphore.rs"),
            place("go", "/x/workloads/src/several_bench/pairs.rs"),
        ];
        assert_eq!(call(&places).as_deref(), Some("object::semaphore::give"));
        let join = place("_ZN1a4join17h0123456789abcdefE", "kernel/src/thread/mod.rs");
        assert_eq!(call(&[join]).as_deref(), Some("thread::join"));
        let choose = place("choose<Arm>", "/x/arch/common/src/block.rs");
        assert_eq!(call(&[choose]).as_deref(), Some("interrupt::choose"));
        assert_eq!(call(&places[3..]), None);
        assert_eq!(call(&[]), None);
    }
}
