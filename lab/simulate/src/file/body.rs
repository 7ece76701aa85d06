//! Owns: the work of a job, as lines of text; locks and servers by their names.
//! Must never know: when a job does it.

use super::reader::{Entry, Table};
use super::{FileError, named, suggest, text};
use crate::{LockId, LockSpec, Protocol, ServerId, ServerSpec, Step};

const PROTOCOLS: [(&str, Protocol); 5] = [
    ("none", Protocol::None),
    ("inheritance", Protocol::Inheritance),
    ("omip", Protocol::Omip),
    ("ceiling", Protocol::Ceiling),
    ("mrsp", Protocol::MrsP),
];

/// The word of a protocol.
pub(super) fn protocol_name(protocol: Protocol) -> &'static str {
    let found = PROTOCOLS.iter().find(|(_, known)| *known == protocol);
    found.map_or("none", |(name, _)| name)
}

const STEPS: [&str; 6] = ["run", "lock", "unlock", "suspend", "until", "call"];
const HINT: &str = "steps are: run TIME, suspend TIME, lock NAME, unlock NAME, call SERVER TIME";

/// Locks and servers that steps can name.
pub(super) struct Names {
    pub locks: Vec<LockSpec>,
    pub servers: Vec<ServerSpec>,
}

impl Names {
    /// The tables `[[lock]]` and `[[server]]`.
    pub(super) fn of(table: &mut Table<'_>) -> Result<Self, FileError> {
        let locks = table.named_tables("lock", |lock: &LockSpec| &lock.name, lock)?;
        let server = |table: &mut Table<'_>| {
            let name = named(table, "server", "\"disk\"")?;
            Ok(ServerSpec { name })
        };
        let servers = table.named_tables("server", |server| &server.name, server)?;
        Ok(Self { locks, servers })
    }

    fn lock(&self, name: &str) -> Result<LockId, String> {
        let place = self.locks.iter().position(|lock| lock.name == name);
        place.map(|place| LockId(place as u16)).ok_or_else(|| {
            unknown(
                "lock",
                name,
                self.locks.iter().map(|lock| lock.name.as_str()).collect(),
            )
        })
    }

    fn server(&self, name: &str) -> Result<ServerId, String> {
        let place = self.servers.iter().position(|server| server.name == name);
        place.map(|place| ServerId(place as u16)).ok_or_else(|| {
            unknown(
                "server",
                name,
                self.servers
                    .iter()
                    .map(|server| server.name.as_str())
                    .collect(),
            )
        })
    }
}

fn unknown(kind: &str, name: &str, known: Vec<&str>) -> String {
    let meant = match suggest::nearest(name, known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; declare it: [[{kind}]] with name = \"{name}\""),
    };
    format!("there is no {kind} `{name}`{meant}")
}

fn lock(table: &mut Table<'_>) -> Result<LockSpec, FileError> {
    let name = named(table, "lock", "\"bus\"")?;
    let protocol = table.get("protocol").map(|entry| entry.choice(&PROTOCOLS));
    let mut ceilings = Vec::new();
    if let Some(entry) = table.get("ceilings") {
        for (cluster, ceiling) in super::reader::pairs(&entry.table()?) {
            ceilings.push((
                cluster.to_owned(),
                ceiling.whole(0..=i32::MAX as u64)? as u32,
            ));
        }
    }
    Ok(LockSpec {
        name,
        protocol: protocol.transpose()?.unwrap_or_default(),
        ceilings,
    })
}

/// The steps of a list of texts. Locks are given back in the body, in the
/// opposite order.
pub(super) fn steps(list: &Entry<'_>, names: &Names) -> Result<Vec<Step>, FileError> {
    let mut steps = Vec::new();
    let mut held: Vec<LockId> = Vec::new();
    for entry in list.list()? {
        let text = entry.text()?;
        let step = step(text, names)
            .and_then(|step| nest(step, &mut held, names))
            .map_err(|cause| entry.error(format!("has the step `{text}`: {cause}"), HINT))?;
        steps.push(step);
    }
    if let Some(lock) = held.last() {
        let name = &names.locks[usize::from(lock.0)].name;
        return Err(list.error(
            format!("ends with the lock {name} held"),
            format!("add the step \"unlock {name}\""),
        ));
    }
    let works = |step: &Step| matches!(step, Step::Run(_) | Step::Call { .. });
    if !steps.iter().any(works) {
        return Err(list.error("never runs", "add a step such as \"run 2 ms\""));
    }
    Ok(steps)
}

fn nest(step: Step, held: &mut Vec<LockId>, names: &Names) -> Result<Step, String> {
    let name = |lock: LockId| &names.locks[usize::from(lock.0)].name;
    match step {
        Step::Lock(lock) if held.contains(&lock) => {
            return Err(format!("the lock {} is held already", name(lock)));
        }
        Step::Lock(lock) => held.push(lock),
        Step::Unlock(lock) => match held.pop() {
            Some(last) if last == lock => {}
            Some(last) => {
                return Err(format!("the lock {} must be given back first", name(last)));
            }
            None => return Err(format!("the lock {} is not held", name(lock))),
        },
        Step::Run(_) | Step::Suspend(_) | Step::Until(_) | Step::Call { .. } => {}
    }
    Ok(step)
}

fn step(line: &str, names: &Names) -> Result<Step, String> {
    let (verb, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
    let rest = rest.trim();
    match verb {
        "run" => text::execution(rest).map(Step::Run),
        "suspend" => text::execution(rest).map(Step::Suspend),
        "until" => text::duration(rest).map(Step::Until),
        "lock" => names.lock(rest).map(Step::Lock),
        "unlock" => names.lock(rest).map(Step::Unlock),
        "call" => {
            let (server, service) = rest.split_once(' ').unwrap_or((rest, ""));
            Ok(Step::Call {
                server: names.server(server)?,
                service: text::execution(service)?,
            })
        }
        verb => Err(match suggest::nearest(verb, STEPS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("`{verb}` is no step"),
        }),
    }
}

/// The step as it is written.
pub(super) fn shown(step: &Step, locks: &[LockSpec], servers: &[ServerSpec]) -> String {
    let lock = |lock: &LockId| &locks[usize::from(lock.0)].name;
    match step {
        Step::Run(execution) => format!("run {}", text::shown_execution(execution)),
        Step::Suspend(execution) => format!("suspend {}", text::shown_execution(execution)),
        Step::Until(time) => format!("until {}", text::shown(*time)),
        Step::Lock(id) => format!("lock {}", lock(id)),
        Step::Unlock(id) => format!("unlock {}", lock(id)),
        Step::Call { server, service } => format!(
            "call {} {}",
            servers[usize::from(server.0)].name,
            text::shown_execution(service)
        ),
    }
}
