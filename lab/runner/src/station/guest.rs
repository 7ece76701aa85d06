//! A guest on a machine's console: which lines are its own, and whether it has stopped.
//!
//! Owns: the name of the measured one in configurations, the hypervisor's marks before lines. Must
//! never know: the output of a guest.

/// The name of the measured partition.
pub const MEASURED: &str = "measured";
/// How a line of the hypervisor's own begins.
const HYPERVISOR: &str = "[taktos] ";

/// Returns why a guest stopped, if this line of a console states that it did.
pub(super) fn stopped<'line>(line: &'line str, guest: &str) -> Option<&'line str> {
    let words = line.trim_end().strip_prefix(HYPERVISOR)?;
    words.strip_prefix(guest)?.strip_prefix(" stopped: ")
}

/// A guest's lines without their mark.
pub fn lines_of(console: &str, name: &str) -> String {
    let mark = format!("[{name}] ");
    let own = console.lines().filter_map(|line| {
        let line = line.trim_start_matches('\r');
        line.strip_prefix(&mark)
            .or_else(|| (line == mark.trim_end()).then_some(""))
    });
    own.fold(String::new(), |mut all, line| {
        all.push_str(line);
        all.push('\n');
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measured_guests_lines_are_found() {
        let console = "[taktos] two partitions\r\n[measured] one\r\n[busy] two\r\n\r[measured] \r\n[measured]\n[measured] 3\n";
        assert_eq!(lines_of(console, MEASURED), "one\n\n\n3\n");
        let ends = console.lines().map(|line| stopped(line, MEASURED));
        assert!(ends.clone().all(|end| end.is_none()));
        assert_eq!(
            stopped("[taktos] measured stopped: off\r\n", MEASURED),
            Some("off")
        );
        assert_eq!(stopped("[taktos] busy stopped: off\r\n", MEASURED), None);
    }
}
