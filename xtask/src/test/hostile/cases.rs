//! Owns: the attacker, the victim and the scheduler of each case, and the victim's guarantee.

use crate::test::storms::Length;

/// Guarantee that must hold for the victim, in addition to these: its memory and registers are its
/// own, and no other guest speaks for it.
#[derive(Clone, Copy, Debug)]
pub enum Promise {
    /// It has its budget in each of `periods`. Two successive readings of the clock are at most
    /// `longest_gap_us` microseconds apart.
    Supply { periods: u64, longest_gap_us: u64 },
    /// It does `count` jobs, all by their deadlines.
    Jobs { count: u64 },
    /// It ends well. Its scheduler guarantees no more.
    End,
    /// It is the kernel's test-suite, of which at least `cases` pass and none fails.
    Suite { cases: u64 },
}

/// End of the guest that attacks.
#[derive(Clone, Copy, Debug)]
pub enum ExpectedOutcome {
    /// It ends by itself, having tried at least so often.
    Ends { attempts: u64 },
    /// It is started again exactly so often.
    Restarts(u64),
    /// Whatever it likes.
    Any,
}

/// A machine with two guests.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    /// Its configuration.
    pub text: String,
    /// One instruction takes two to this many nanoseconds.
    pub shift: u32,
    pub promise: Promise,
    pub fate: ExpectedOutcome,
    /// The most real time, in seconds.
    pub limit: u64,
}

/// A scheduler: its pool, and the text of the tables of the two virtual processors.
struct Scheduler {
    name: &'static str,
    pool: &'static str,
    server: &'static str,
}

/// Four of ten milliseconds each, and no more: two fifths of the processor stay idle or are the
/// hypervisor's.
const SERVER: &str =
    "[[partition.vcpu]]\nperiod = \"10 ms\"\nbudget = \"4 ms\"\nextra-time = false\n";
const RTDS: Scheduler = Scheduler {
    name: "RTDS",
    pool: "policy = \"rtds\"\n",
    server: SERVER,
};
const SEDF: Scheduler = Scheduler {
    name: "SEDF",
    pool: "policy = \"sedf\"\n",
    server: SERVER,
};
const WINDOWS: Scheduler = Scheduler {
    name: "ARINC 653",
    pool: "policy = \"arinc653\"\nframe = \"10 ms\"\n\
           [[pool.window]]\npartition = \"victim\"\nruntime = \"4 ms\"\n\
           [[pool.window]]\npartition = \"hostile\"\nruntime = \"6 ms\"\n",
    server: "",
};
const CREDIT: Scheduler = Scheduler {
    name: "CREDIT",
    pool: "policy = \"credit\"\n",
    server: "",
};
const CREDIT2: Scheduler = Scheduler {
    name: "CREDIT2",
    pool: "policy = \"credit2\"\n",
    server: "",
};
const OWN: Scheduler = Scheduler {
    name: "a processor each",
    pool: "policy = \"null\"\n",
    server: "",
};

/// By supply: 4 ms in 10, of which 2.5 % may be lost to where periods are thought to begin, and to
/// the hypervisor's own work.
const SUPPLY: &str = "mode=supply period-us=10000 budget-us=3900 gap-ns=200000";
/// A server may have its budget at one period's beginning and at the next one's end: 2 · (10 − 4)
/// ms, and 0.2 ms for the hypervisor.
const SERVERS_GAP: u64 = 12_200;
/// Windows are where they are: 10 − 4 ms, and as much.
const WINDOWS_GAP: u64 = 6_200;
/// By jobs: 150,000 instructions, 2.4 ms at shift 4. A job is done 2 · (10 − 4) + 2.4 ms after its
/// release at the latest, wherever the server's periods begin (Shin and Lee 2003: the longest time
/// without supply, and the work); and 0.2 ms for the hypervisor.
const JOBS: &str = "mode=jobs period-us=10000 work=150000 deadline-us=14600";

/// A machine with one processor, and one with two.
const ONE: &str = "[machine]\ncpus = 1\n";
const TWO: &str = "[machine]\ncpus = 2\n";

/// The configuration with the hostile guest heard at once.
fn heard(scheduler: &Scheduler, victim: &str, hostile: &str, stops: &str) -> String {
    format!("{HEARD}{}", text(ONE, scheduler, victim, hostile, stops))
}

fn text(machine: &str, scheduler: &Scheduler, victim: &str, hostile: &str, stops: &str) -> String {
    let image = if victim.is_empty() {
        "suite"
    } else {
        "monitor"
    };
    let cpus = if machine == TWO { "[0, 1]" } else { "[0]" };
    let Scheduler { pool, server, .. } = scheduler;
    format!(
        "{machine}[[pool]]\nname = \"all\"\ncpus = {cpus}\n{pool}\
         [[partition]]\nname = \"victim\"\nmemory = \"8 MiB\"\nimage = \"taktos:{image}\"\narguments = \"{victim}\"\n{server}\
         [[partition]]\nname = \"hostile\"\nmemory = \"8 MiB\"\nimage = \"taktos:hostile\"\narguments = \"{hostile}\"\n{stops}{server}"
    )
}

/// Guests that fault are started again for ever, so that attacks continue.
const AGAIN: &str = "on-fault = \"restart\"\n";

/// The guest that has the input is heard byte by byte, so a line of the hypervisor's, for example
/// of a restart, can come in the middle of its own. If nothing is judged that the hostile guest
/// reports at its end, it has the input, and the victim's lines wait until they are whole. (It
/// reports wrong results again in each turn.) If its end is judged, it has ended before the victim
/// reports.
const HEARD: &str = "input = \"hostile\"\n";

/// All cases, the long ones first.
pub fn all(length: Length) -> Vec<Case> {
    let mut cases = match length {
        Length::Short => vec![minutes(&RTDS, 1)],
        Length::Long => [&RTDS, &SEDF].map(|one| minutes(one, 60)).to_vec(),
    };
    cases.push(thousand("reset", "on-reset = 1000\n"));
    cases.push(thousand("fault", "on-fault = 1000\n"));
    for scheduler in [&RTDS, &SEDF, &WINDOWS, &CREDIT, &CREDIT2, &OWN] {
        cases.push(all_in_turn(scheduler));
    }
    cases.push(suite());
    cases.push(levels());
    let last = [
        "off",
        "cpu-off",
        "sleep",
        "hang",
        "fault-loop",
        "table-loop",
    ];
    cases.extend(last.map(final_one));
    cases
}

/// Every attack in turn, a tenth of a second each, for this number of minutes.
fn minutes(scheduler: &Scheduler, minutes: u64) -> Case {
    let victim = format!("{SUPPLY} for-ms=60000 rounds={minutes}");
    // The hostile guest ends before the victim does, and reports.
    let hostile = format!("attack=all for-ms=100 until-ms={}", minutes * 60_000);
    Case {
        name: format!("{}, every attack in turn for {minutes} min", scheduler.name),
        text: text(ONE, scheduler, &victim, &hostile, AGAIN),
        shift: 5,
        promise: Promise::Supply {
            periods: 5_990 * minutes,
            longest_gap_us: SERVERS_GAP,
        },
        fate: ExpectedOutcome::Ends { attempts: 1_000 },
        limit: 600 * minutes,
    }
}

/// Every attack in turn, 25 milliseconds each, twice.
fn all_in_turn(scheduler: &Scheduler) -> Case {
    let (machine, victim, promise) = match scheduler.name {
        "ARINC 653" => (
            ONE,
            format!("{SUPPLY} for-ms=1600"),
            Promise::Supply {
                periods: 158,
                longest_gap_us: WINDOWS_GAP,
            },
        ),
        "RTDS" | "SEDF" => (
            ONE,
            format!("{JOBS} for-ms=1600"),
            Promise::Jobs { count: 160 },
        ),
        "a processor each" => (TWO, format!("{JOBS} for-ms=1600"), Promise::End),
        _ => (ONE, format!("{JOBS} for-ms=1600"), Promise::End),
    };
    let hostile = "attack=all for-ms=25 until-ms=1500";
    Case {
        name: format!("{}, every attack in turn", scheduler.name),
        text: text(machine, scheduler, &victim, hostile, AGAIN),
        shift: 4,
        promise,
        fate: ExpectedOutcome::Ends { attempts: 1_000 },
        limit: 120,
    }
}

/// The kernel's own suite, as a guest that never knows when it is let run.
fn suite() -> Case {
    let hostile = "attack=all for-ms=100 until-ms=0";
    Case {
        name: "RTDS, the kernel's suite".into(),
        text: heard(&RTDS, "", hostile, AGAIN),
        shift: 3,
        promise: Promise::Suite { cases: 265 },
        fate: ExpectedOutcome::Any,
        limit: 240,
    }
}

/// Levels that fall before they are taken, of the timer and of a device of the guest's own.
fn levels() -> Case {
    let victim = format!("{JOBS} for-ms=400");
    let device = "[[partition.device]]\nname = \"clock\"\naddress = 0x0901_0000\nsize = \"4 KiB\"\ninterrupt = 34\ncompatible = [\"arm,pl031\"]\n";
    Case {
        name: "a processor each, levels of a device".into(),
        text: text(
            TWO,
            &OWN,
            &victim,
            "attack=levels for-ms=100 until-ms=300",
            device,
        ),
        shift: 4,
        promise: Promise::End,
        fate: ExpectedOutcome::Ends { attempts: 100 },
        limit: 120,
    }
}

/// A guest that ends at once, a thousand times.
fn thousand(attack: &str, stops: &str) -> Case {
    let victim = format!("{SUPPLY} for-ms=16000");
    let hostile = format!("attack={attack} until-ms=0");
    Case {
        name: format!("RTDS, a thousand restarts by {attack}"),
        // Each start clears its memory, in its own time: it has as little as its image takes.
        text: heard(&RTDS, &victim, &hostile, stops).replace(
            "\"hostile\"\nmemory = \"8 MiB\"",
            "\"hostile\"\nmemory = \"4 MiB\"",
        ),
        shift: 4,
        promise: Promise::Supply {
            periods: 1_598,
            longest_gap_us: SERVERS_GAP,
        },
        fate: ExpectedOutcome::Restarts(1_000),
        limit: 240,
    }
}

/// An attack that the guest does not survive.
fn final_one(attack: &str) -> Case {
    let victim = format!("{JOBS} for-ms=500");
    let hostile = format!("attack={attack} until-ms=0");
    Case {
        name: format!("RTDS, {attack}"),
        text: heard(&RTDS, &victim, &hostile, ""),
        shift: 4,
        promise: Promise::Jobs { count: 50 },
        fate: ExpectedOutcome::Any,
        limit: 120,
    }
}
