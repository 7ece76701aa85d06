//! Owns: the record of the fetched files, as a text file next to them.
//! Must never know: the purpose of the packages.

use serde::Serialize;

/// A package as it came from the mirror.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The SHA-256 digest of its file, which apt has compared with Debian's signed list.
    pub sha256: String,
}

/// A line for each package: name, version, digest.
pub fn to_text(packages: &[Package]) -> String {
    packages
        .iter()
        .map(|package| format!("{} {} {}\n", package.name, package.version, package.sha256))
        .collect()
}

/// The packages of a text, or none if it is not whole.
pub fn from_text(text: &str) -> Option<Vec<Package>> {
    let packages: Option<Vec<Package>> = text.lines().map(line).collect();
    packages.filter(|packages| !packages.is_empty() && text.ends_with('\n'))
}

fn line(line: &str) -> Option<Package> {
    let mut words = line.split(' ');
    let package = Package {
        name: words.next()?.to_owned(),
        version: words.next()?.to_owned(),
        sha256: words.next()?.to_owned(),
    };
    let whole = package.sha256.len() == 64 && words.next().is_none();
    whole.then_some(package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let package = |name: &str| Package {
            name: name.into(),
            version: "1:2.0-3+b1".into(),
            sha256: "0123456789abcdef".repeat(4),
        };
        let packages = vec![package("busybox-static"), package("rt-tests")];
        let text = to_text(&packages);
        assert_eq!(from_text(&text), Some(packages));
        assert_eq!(from_text(&text[..text.len() - 1]), None);
        assert_eq!(from_text(&text[..text.len() - 9]), None);
        assert_eq!(from_text(""), None);
    }
}
