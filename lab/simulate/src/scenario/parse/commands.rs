//! Lines with commands.
//!
//! Owns: the words of each command.
//! Must never know: the effect of a command.

use taktos_time::Instant;

use super::words::{Read, Words};
use crate::scenario::command::{
    Command, InstanceName, LockKind, LockName, Patience, ThreadName, When,
};
use crate::scenario::fault::Wrong;
use crate::scenario::names::Names;

/// The first words of all commands.
pub(super) const VERBS: [&str; 38] = [
    "thread", "start", "restart", "delete", "block", "wake", "sleep", "suspend", "resume", "yield",
    "priority", "release", "cancel", "affinity", "pin", "unpin", "move", "add", "remove", "server",
    "mutex", "ceiling", "lock", "try", "unlock", "timeout", "flush", "destroy", "identify",
    "which", "which-of", "hold", "settle", "dispatch", "act", "advance", "expect", "refused",
];

/// The thread that the next word names.
pub(super) fn thread(words: &mut Words<'_>, names: &Names) -> Read<ThreadName> {
    let word = words.word("a thread")?;
    let known = names.threads().iter().map(String::as_str);
    names
        .find_thread(word)
        .ok_or_else(|| Wrong::word("thread", word, known))
}

/// The instance that the next word names.
pub(super) fn instance(words: &mut Words<'_>, names: &Names) -> Read<InstanceName> {
    let word = words.word("an instance")?;
    let known = names.instances().iter().map(String::as_str);
    names
        .find_instance(word)
        .ok_or_else(|| Wrong::word("instance", word, known))
}

/// The lock that the next word names.
pub(super) fn lock(words: &mut Words<'_>, names: &Names) -> Read<LockName> {
    let word = words.word("a lock")?;
    let known = names.locks().iter().map(String::as_str);
    names
        .find_lock(word)
        .ok_or_else(|| Wrong::word("lock", word, known))
}

/// Reads the instance after `in`; without it, returns the only one that there is.
pub(super) fn in_instance(words: &mut Words<'_>, names: &Names) -> Read<InstanceName> {
    if words.take("in") {
        return instance(words, names);
    }
    match names.instances().len() {
        1 => Ok(InstanceName(0)),
        _ => Err(Wrong::new(
            "there are several instances, and the line names none",
            format!("write `in` and one of: {}", names.instances().join(", ")),
        )),
    }
}

/// Reads the name that a line gives to a new object.
fn new_name<'a>(words: &mut Words<'a>, what: &str) -> Read<&'a str> {
    let word = words.word(what)?;
    let good = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '\'');
    let begins = word.starts_with(char::is_alphabetic);
    if begins && word.chars().all(good) && !matches!(word, "idle" | "none" | "all" | "nobody") {
        return Ok(word);
    }
    Err(Wrong::new(
        format!("`{word}` cannot be {what}"),
        "a name is a letter with letters, digits, _ - ' behind it, and not idle, nobody, none or all",
    ))
}

/// The commands of a line: several, when it names several threads.
pub(super) fn commands(words: &mut Words<'_>, names: &mut Names) -> Read<Vec<Command>> {
    let verb = words.word("a command")?;
    if verb == "thread" {
        return create(words, names);
    }
    let many: Option<fn(ThreadName) -> Command> = match verb {
        "start" => Some(Command::Start),
        "restart" => Some(Command::Restart),
        "delete" => Some(Command::Delete),
        "block" => Some(Command::Block),
        "wake" => Some(Command::Wake),
        "suspend" => Some(Command::Suspend),
        "resume" => Some(Command::Resume),
        "yield" => Some(Command::Yield),
        "cancel" => Some(Command::Cancel),
        "pin" => Some(Command::Pin),
        "unpin" => Some(Command::Unpin),
        "timeout" => Some(Command::Timeout),
        _ => None,
    };
    if let Some(command) = many {
        let mut found = vec![command(thread(words, names)?)];
        while !words.is_empty() {
            found.push(command(thread(words, names)?));
        }
        return Ok(found);
    }
    let command = match verb {
        "mutex" => mutex(words, names)?,
        "lock" | "try" | "unlock" | "ceiling" | "flush" | "destroy" => locking(verb, words, names)?,
        "add" | "remove" | "identify" | "which" | "which-of" | "hold" | "settle" | "dispatch"
        | "act" | "advance" => machine(verb, words, names)?,
        _ => threading(verb, words, names)?,
    };
    words.end()?;
    Ok(vec![command])
}

/// `thread A in X priority 3 affinity 0-1 started`
fn create(words: &mut Words<'_>, names: &mut Names) -> Read<Vec<Command>> {
    let name = new_name(words, "the name of a thread")?;
    if names.find_lock(name).is_some() {
        return Err(Wrong::new(
            format!("`{name}` is a lock already"),
            "give the thread another name",
        ));
    }
    let home = in_instance(words, names)?;
    words.expect("priority")?;
    let priority = words.number("a priority")?;
    let affinity = match words.take("affinity") {
        true => Some(words.set()?),
        false => None,
    };
    let started = words.take("started");
    words.end()?;
    let thread = names.add_thread(name);
    let mut found = vec![Command::Create {
        thread,
        home,
        priority,
        affinity,
    }];
    if started {
        found.push(Command::Start(thread));
    }
    Ok(found)
}

/// Commands about a thread that say more than its name.
fn threading(verb: &str, words: &mut Words<'_>, names: &Names) -> Read<Command> {
    if !VERBS.contains(&verb) {
        return Err(Wrong::word("command", verb, VERBS));
    }
    let thread = thread(words, names)?;
    Ok(match verb {
        "sleep" => Command::Sleep(thread, words.span("how long")?),
        "priority" => Command::Priority(thread, words.number("a priority")?),
        "release" => Command::Release(thread, deadline(words)?),
        "affinity" => Command::Affinity(thread, words.set()?),
        "move" => {
            words.expect("to")?;
            let to = instance(words, names)?;
            words.expect("priority")?;
            Command::Move(thread, to, words.number("a priority")?)
        }
        "server" => {
            words.expect("budget")?;
            let budget = words.span("a budget")?;
            words.expect("period")?;
            Command::Server {
                thread,
                budget,
                period: words.span("a period")?,
                hard: words.take("hard"),
            }
        }
        _ => return Err(Wrong::word("command", verb, VERBS)),
    })
}

/// `in 5ms`, `at 20ms`
fn deadline(words: &mut Words<'_>) -> Read<When> {
    if words.take("at") {
        let since = words.span("an instant")?;
        return Ok(When::At(Instant::START.saturating_add(since)));
    }
    words.expect("in")?;
    Ok(When::In(words.span("a deadline")?))
}

/// `mutex M mrsp 3 by A locked`
fn mutex(words: &mut Words<'_>, names: &mut Names) -> Read<Command> {
    let name = new_name(words, "the name of a lock")?;
    if names.find_thread(name).is_some() {
        return Err(Wrong::new(
            format!("`{name}` is a thread already"),
            "give the lock another name",
        ));
    }
    let kind = match words.word("a protocol")? {
        "plain" => LockKind::Plain,
        "inheritance" => LockKind::Inheritance,
        "omip" => LockKind::Omip,
        "ceiling" => LockKind::Ceiling(words.number("a ceiling")?),
        "mrsp" => LockKind::Mrsp(words.number("a ceiling")?),
        word => {
            let known = ["plain", "inheritance", "omip", "ceiling", "mrsp"];
            return Err(Wrong::word("protocol", word, known));
        }
    };
    words.expect("by")?;
    let creator = thread(words, names)?;
    let locked = words.take("locked");
    Ok(Command::Mutex {
        lock: names.add_lock(name),
        kind,
        creator,
        locked,
    })
}

/// Commands about a lock.
fn locking(verb: &str, words: &mut Words<'_>, names: &Names) -> Read<Command> {
    let lock = lock(words, names)?;
    match verb {
        "flush" => return Ok(Command::Flush(lock)),
        "destroy" => return Ok(Command::Destroy(lock)),
        "ceiling" => {
            let instance = in_instance(words, names)?;
            return Ok(Command::Ceiling(lock, instance, words.number("a ceiling")?));
        }
        _ => {}
    }
    words.expect("by")?;
    let thread = thread(words, names)?;
    Ok(match verb {
        "unlock" => Command::Unlock(lock, thread),
        "try" => Command::Lock(lock, thread, Patience::None),
        _ if words.take("for") => {
            Command::Lock(lock, thread, Patience::For(words.span("how long")?))
        }
        _ => Command::Lock(lock, thread, Patience::Forever),
    })
}

/// Commands about processors and time.
fn machine(verb: &str, words: &mut Words<'_>, names: &Names) -> Read<Command> {
    let set = |words: &mut Words<'_>| match words.is_empty() {
        true => Ok(taktos_schedule::CpuSet::ALL),
        false => words.set(),
    };
    Ok(match verb {
        "add" | "remove" => {
            let cpu = words.number("a processor")? as usize;
            words.expect(if verb == "add" { "to" } else { "from" })?;
            let instance = instance(words, names)?;
            match verb {
                "add" => Command::Add(cpu, instance),
                _ => Command::Remove(cpu, instance),
            }
        }
        "identify" => Command::Identify(words.word("a name")?.to_owned()),
        "which" => Command::WhichCpu(words.number("a processor")? as usize),
        "which-of" => Command::WhichSet(words.set()?),
        "hold" => Command::Hold(set(words)?),
        "settle" => Command::Settle(set(words)?),
        "dispatch" => Command::Dispatch(words.cpu()?),
        "act" => {
            words.expect("on")?;
            Command::Act(words.cpu()?)
        }
        _ if words.take("to") => {
            let since = words.span("an instant")?;
            Command::Advance(When::At(Instant::START.saturating_add(since)))
        }
        _ => Command::Advance(When::In(words.span("how long")?)),
    })
}
