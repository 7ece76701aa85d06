//! Scheduler instances on the command line: `0-1,2-3`, `edf:0-1,priority:2-3`,
//! `fast=edf:0-1,slow=2+4`.

use taktos_schedule::CpuSet;
use taktos_simulate::Policy;
use taktos_simulate::file::{suggest, text};

/// One scheduler instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterRequest {
    /// Name that tasks use.
    pub name: String,
    /// Its processors.
    pub cpus: CpuSet,
    /// Its policy; none: that of the run.
    pub policy: Option<Policy>,
}

/// Reads a list of scheduler instances. One without a name is called by its place: 0, 1, ...
///
/// # Errors
/// When it is none: which part is wrong, and how it is written.
pub fn clusters(list: &str) -> Result<Vec<ClusterRequest>, String> {
    let mut clusters: Vec<ClusterRequest> = Vec::new();
    for (place, part) in list.split(',').enumerate() {
        let cluster = cluster(place, part.trim())?;
        for other in &clusters {
            if other.name == cluster.name {
                return Err(format!("two clusters are called {}", other.name));
            }
            let shared = other.cpus.and(cluster.cpus);
            if !shared.is_empty() {
                let shared = text::shown_cpus(shared);
                return Err(format!("processor {shared} is in two clusters"));
            }
        }
        clusters.push(cluster);
    }
    Ok(clusters)
}

fn cluster(place: usize, part: &str) -> Result<ClusterRequest, String> {
    let (name, rest) = match part.split_once('=') {
        Some((name, _)) if name.trim().is_empty() || name.contains(char::is_whitespace) => {
            return Err(format!("`{name}` is no name of a cluster"));
        }
        Some((name, rest)) => (name.to_owned(), rest),
        None => (place.to_string(), part),
    };
    let (policy, cpus) = match rest.split_once(':') {
        Some((policy, cpus)) => (Some(known(policy)?), cpus),
        None => (None, rest),
    };
    Ok(ClusterRequest {
        name,
        cpus: text::cpus(cpus).map_err(|cause| {
            format!("{cause}; clusters are written like 0-1,2-3 or edf:0-1,priority:2+3")
        })?,
        policy,
    })
}

fn known(name: &str) -> Result<Policy, String> {
    name.parse().map_err(|_| {
        let hint = suggest::hint(name, Policy::ALL.map(Policy::name));
        format!("no policy is called `{name}`: {hint}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_clusters_are_read() {
        let read = clusters("0-1,priority:2+3,fast=edf:5").unwrap();
        let shown: Vec<_> = read
            .iter()
            .map(|cluster| (cluster.name.as_str(), cluster.cpus.bits(), cluster.policy))
            .collect();
        let expected = [
            ("0", 0b11, None),
            ("1", 0b1100, Some(Policy::Priority)),
            ("fast", 0b10_0000, Some(Policy::Edf)),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (list, words) in [
            ("0-1,1-2", "processor 1 is in two clusters"),
            ("a=0,a=1", "two clusters are called a"),
            ("eddf:0", "did you mean `edf`?"),
            ("0-99", "`99` is no processor"),
            ("", "is no processor"),
            ("=0", "no name"),
            ("edf:", "is no processor"),
        ] {
            let error = clusters(list).unwrap_err();
            assert!(error.contains(words), "{list}: {error}");
        }
    }
}
