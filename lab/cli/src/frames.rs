//! Owns: the warning that functions of an image for a Cortex-M have frames which pass the guard
//! below its stacks. Must never know: where the image is from, or what runs it.

use std::path::Path;

use rustc_demangle::demangle;
use taktos_cycles::firmware;

/// Says which frames of the image pass the guard, if it says how large that is: the largest, and
/// how many there are.
pub fn warn_of(image: &Path) {
    if let Ok(elf) = std::fs::read(image)
        && let Some(words) = warning(&elf)
    {
        eprintln!("{words}");
    }
}

fn warning(elf: &[u8]) -> Option<String> {
    let guard = firmware::guard(elf)?;
    let beyond = firmware::frames(elf).ok()?.into_iter();
    let mut beyond = beyond.filter_map(|frame| {
        let bytes = frame.bytes.filter(|bytes| *bytes > guard)?;
        Some((bytes, frame.function))
    });
    let (bytes, function) = beyond.next()?;
    let others = match beyond.count() {
        0 => String::new(),
        others => format!(", those of {others} others are larger than that, too"),
    };
    let enough = bytes.next_power_of_two();
    Some(format!(
        "warning: the frame of {:#} is of {bytes} bytes, and the guard below each stack of {guard}{others}: an overflow by it may not be noticed\n\
         hint: a larger guard, for frames of that size: TAKTOS_GUARD = \"{enough}\" in [env] of .cargo/config.toml",
        demangle(&function)
    ))
}
