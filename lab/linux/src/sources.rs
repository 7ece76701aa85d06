//! Owns: which package mirror this machine uses, read from its apt sources in both forms
//! (sources.list(5): one line an entry, and deb822).
//! Must never know: the files that are fetched from there.

/// The mirror that the texts of apt's source files name for `suite`; of several the first.
pub fn mirror<'a>(texts: impl IntoIterator<Item = &'a str>, suite: &str) -> Option<String> {
    texts
        .into_iter()
        .find_map(|text| one_line(text, suite).or_else(|| paragraphs(text, suite)))
}

/// `deb [option=value ...] URI SUITE COMPONENT...`
fn one_line(text: &str, suite: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let line = line.split('#').next()?.trim().strip_prefix("deb ")?;
        let line = match line.trim_start().strip_prefix('[') {
            Some(options) => options.split_once(']')?.1,
            None => line,
        };
        let mut words = line.split_whitespace();
        let (uri, found) = (words.next()?, words.next()?);
        (found == suite && words.any(|word| word == "main")).then(|| uri.to_owned())
    })
}

/// Paragraphs of `Field: value` lines; values continue in lines that begin with a space.
fn paragraphs(text: &str, suite: &str) -> Option<String> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in text.lines().chain([""]) {
        if line.starts_with('#') {
            continue;
        }
        if line.trim().is_empty() {
            if let Some(found) = uri(&fields, suite) {
                return Some(found);
            }
            fields.clear();
        } else if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = fields.last_mut() {
                value.push_str(line);
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    None
}

fn uri(fields: &[(String, String)], suite: &str) -> Option<String> {
    let field = |name: &str| {
        let found = fields.iter().find(|(field, _)| field == name);
        found.map_or("", |(_, value)| value.as_str())
    };
    let has = |name: &str, word: &str| field(name).split_whitespace().any(|found| found == word);
    let wanted = has("types", "deb")
        && has("suites", suite)
        && has("components", "main")
        && field("enabled") != "no";
    let first = field("uris").split_whitespace().next();
    first.filter(|_| wanted).map(str::to_owned)
}

/// The suite of this machine, from the text of its os-release file.
pub fn codename(release: &str) -> Option<&str> {
    let line = release
        .lines()
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="))?;
    Some(line.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEB822: &str = "\
Types: deb
# a snapshot: http://old/x
URIs: http://mirror/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /keys.gpg

Types: deb
URIs: http://mirror/debian-security
Suites: bookworm-security
Components: main
";

    #[test]
    fn paragraphs_are_read() {
        let find = |suite| mirror([DEB822], suite);
        assert_eq!(find("bookworm").as_deref(), Some("http://mirror/debian"));
        assert_eq!(
            find("bookworm-security").as_deref(),
            Some("http://mirror/debian-security")
        );
        assert_eq!(find("trixie"), None);
    }

    #[test]
    fn what_does_not_count_is_passed_over() {
        let sources = DEB822.replacen("Types: deb", "Types: deb-src", 1);
        assert_eq!(mirror([sources.as_str()], "bookworm"), None);
        let disabled = DEB822.replacen("Types: deb", "Types: deb\nEnabled: no", 1);
        assert_eq!(mirror([disabled.as_str()], "bookworm"), None);
        let folded = DEB822.replacen("Suites: bookworm ", "Suites:\n bookworm\n ", 1);
        assert!(mirror([folded.as_str()], "bookworm").is_some());
    }

    #[test]
    fn lines_are_read() {
        let text = "\
# deb http://commented/debian trixie main
deb-src http://sources/debian trixie main
deb http://other/tool stable main
deb http://third/debian trixie contrib
deb [arch=amd64 signed-by=/k.gpg] http://mirror/debian trixie main contrib
";
        assert_eq!(
            mirror([text], "trixie").as_deref(),
            Some("http://mirror/debian")
        );
        assert_eq!(
            mirror(["", text], "stable").as_deref(),
            Some("http://other/tool")
        );
        assert_eq!(mirror([text], "main"), None);
    }

    #[test]
    fn the_suite_is_read() {
        assert_eq!(
            codename("ID=debian\nVERSION_CODENAME=bookworm\n"),
            Some("bookworm")
        );
        assert_eq!(codename("VERSION_CODENAME=\"trixie\""), Some("trixie"));
        assert_eq!(codename("ID=other"), None);
    }
}
