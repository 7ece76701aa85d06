//! Owns: what the guest's initial RAM file system holds: busybox, cyclictest with the libraries
//! that it loads, and the script that does the job.
//! Must never know: where the files came from.

use crate::cpio::Archive;

/// The files of Debian's that go in.
pub struct Files {
    /// The statically linked busybox.
    pub busybox: Vec<u8>,
    /// cyclictest, dynamically linked.
    pub cyclictest: Vec<u8>,
    /// The loader that its header names.
    pub loader: Vec<u8>,
    /// The C library.
    pub libc: Vec<u8>,
    /// The library of memory nodes, which it is linked with.
    pub libnuma: Vec<u8>,
}

/// The script that the kernel starts.
const INIT: &str = include_str!("init.sh");

/// The applets of busybox that the script calls.
const APPLETS: &[&str] = &[
    "cat", "dd", "grep", "mkdir", "mount", "nproc", "poweroff", "setsid", "sh", "sleep", "stty",
];

/// The archive: the same files, the same bytes.
pub fn build(files: &Files) -> Vec<u8> {
    let mut archive = Archive::new();
    for folder in ["bin", "dev", "lib", "proc", "sys", "tmp"] {
        archive.directory(folder);
    }
    archive.device("dev/console", 5, 1);
    archive.device("dev/null", 1, 3);
    archive.program("init", INIT.as_bytes());
    archive.program("bin/busybox", &files.busybox);
    for applet in APPLETS {
        archive.link(&format!("bin/{applet}"), "busybox");
    }
    archive.program("bin/cyclictest", &files.cyclictest);
    archive.program("lib/ld-linux-aarch64.so.1", &files.loader);
    archive.program("lib/libc.so.6", &files.libc);
    archive.program("lib/libnuma.so.1", &files.libnuma);
    archive.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every program that the script names is in the archive or built into the shell.
    #[test]
    fn the_script_finds_its_programs() {
        const SHELL: &str =
            "break case do done echo else esac export fi for if read then wait while";
        const OWN: &str = "burn busybox cyclictest idle measure off settle";
        let starts = |line: &str| {
            let word: String = line
                .trim_start_matches([' ', '('])
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            word
        };
        let mut seen = 0;
        for line in INIT
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'))
        {
            let word = starts(line);
            let rest = line.trim_start_matches([' ', '(']).strip_prefix(&word);
            if word.is_empty()
                || rest.is_some_and(|rest| rest.starts_with(['=', '(', ')', '.', '*', '+']))
            {
                continue;
            }
            seen += 1;
            assert!(
                APPLETS.contains(&word.as_str())
                    || [SHELL, OWN]
                        .iter()
                        .any(|words| words.split(' ').any(|known| known == word)),
                "`{word}` of the script is nowhere: {line}"
            );
        }
        assert!(seen > 20, "only {seen} commands found");
    }
}
