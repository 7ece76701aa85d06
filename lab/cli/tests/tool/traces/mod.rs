//! Traces of real runs, read as bytes by a separate reader: the threads that ran, why each stopped,
//! its priority, and when it woke.

mod events;
mod schedule;
mod wire;

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{Folder, said, succeed, taktos};
use events::{Arrow, Told};
use schedule::{Event, RUNNABLE, SLEEPING, Schedule};

/// Output of a command, and the contents of its trace.
struct Traced {
    shown: String,
    schedule: Schedule,
    told: Told,
}

/// The command's trace, of which every invariant holds.
fn traced(folder: &Folder, line: &str) -> Traced {
    let out = folder.0.join("out");
    let mut command = taktos(line);
    let shown = succeed(command.args(["--out", out.to_str().unwrap()]));
    let (schedule, told) = read(&out.join("trace.pftrace"));
    Traced {
        shown,
        schedule,
        told,
    }
}

fn read(file: &Path) -> (Schedule, Told) {
    let bytes = std::fs::read(file).unwrap();
    let (schedule, told) = (schedule::schedule(&bytes), events::told(&bytes));
    caused(&schedule, &told);
    (schedule, told)
}

/// Checks that the thread at the beginning of an arrow has a processor then. If the arrow ends by a
/// wake-up, the other thread gets a processor at that very time.
fn caused(schedule: &Schedule, told: &Told) {
    let of = |wanted: &str, at: u64| {
        let events = schedule.values().flatten();
        let turns = events.filter(move |event| event.0 == at);
        turns
            .filter(|event| matches!(&event.1, Event::Switch(.., to, _) if to == wanted))
            .count()
    };
    for Arrow { from, to } in told
        .arrows
        .iter()
        .filter(|arrow| !arrow.to.2.starts_with("lock"))
    {
        assert!(schedule::runs(schedule, &from.0, from.1), "{from:?}");
        assert!(of(&to.0, to.1) > 0, "{to:?}");
    }
}

#[test]
fn a_program_that_never_ends_is_traced_in_virtual_time() {
    let folder = Folder::new("trace-heartbeat");
    let Traced {
        shown,
        schedule,
        told,
    } = traced(&folder, "trace heartbeat --for 550ms");
    assert!(
        shown.contains("still running after 0.55 s of virtual time"),
        "{shown}"
    );
    assert_eq!(shown.matches("    beat\n").count(), 5, "{shown}");
    let events = &schedule[&0];
    assert!(events.last().is_some_and(|(at, _)| *at <= 550_000_000));

    // Beats are 100 ms apart, in nanoseconds, though almost nothing is executed between.
    let wakes: Vec<u64> = events
        .iter()
        .filter(|(_, event)| matches!(event, Event::Waking(who, 5) if who == "beat"))
        .map(|(at, _)| *at)
        .collect();
    assert_eq!(wakes.len(), 5, "{events:?}");
    for pair in wakes.windows(2) {
        let apart = pair[1] - pair[0];
        assert!((100_000_000..100_020_000).contains(&apart), "{apart}");
    }

    // A beat sleeps when it is done; the work is interrupted by the first one, and later sleeps.
    let left = |who: &str| -> Vec<(u64, u64)> {
        let leaves = events.iter().filter_map(|(_, event)| match event {
            Event::Switch(from, priority, state, ..) if from == who => Some((*priority, *state)),
            _ => None,
        });
        leaves.collect()
    };
    assert_eq!(left("beat"), [(5, SLEEPING); 6]);
    let work = left("work");
    assert_eq!(&work[..3], [(10, SLEEPING), (10, RUNNABLE), (10, SLEEPING)]);
    assert!(work.iter().all(|(priority, _)| *priority == 10), "{work:?}");

    let comes = events.iter().filter_map(|(_, event)| match event {
        Event::Switch(.., to, priority) if to == "beat" => Some(*priority),
        _ => None,
    });
    assert_eq!(comes.collect::<Vec<_>>(), [5; 6]);

    // The load is that of five times some milliseconds of work.
    let (mut idle, mut busy, mut since) = (0, 0, None);
    for (at, event) in events {
        if let Event::Switch(_, _, _, to, _) = event {
            match since.replace((*at, to == "swapper")) {
                Some((from, true)) => idle += at - from,
                Some((from, false)) => busy += at - from,
                None => {}
            }
        }
    }
    assert!((450_000_000..545_000_000).contains(&idle), "{idle}");

    // Time that is not slept through is executed, a nanosecond an instruction; before the first
    // thread the image starts.
    assert_eq!(told.processors, ["Cortex-M4F, cpu 0"]);
    let counted = &told.counters["instructions of Cortex-M4F, cpu 0"];
    let (last, executed) = *counted.last().unwrap();
    assert!((549_999_000..=550_000_000).contains(&last), "{last}");
    assert!(
        (busy..busy + 20_000).contains(&executed),
        "{executed} in {busy}"
    );
}

#[test]
fn several_processors_end_at_the_time_that_they_are_given() {
    let folder = Folder::new("trace-several");
    let Traced {
        shown,
        schedule,
        told,
    } = traced(
        &folder,
        "trace latency --board virt-aarch64-smp --for 150ms --argument loops=10000+interval-us=1000+load=0+processors=4",
    );
    assert!(
        shown.contains("still running after 0.15 s of virtual time"),
        "{shown}"
    );
    assert_eq!(schedule.len(), 4);
    let names: Vec<String> = (0..4).map(|cpu| format!("Cortex-A53, cpu {cpu}")).collect();
    assert_eq!(told.processors, names);
    assert_eq!(told.counters.len(), 4);
    for (cpu, events) in &schedule {
        let is_wake = |event: &&(u64, Event)| matches!(event.1, Event::Waking(..));
        assert!(
            events.iter().filter(is_wake).count() >= 3,
            "cpu {cpu}: {events:?}"
        );
        assert!(
            events.last().is_some_and(|(at, _)| *at <= 150_010_000),
            "cpu {cpu}"
        );
    }
}

#[test]
fn a_simulation_tells_states_priorities_and_wake_ups() {
    let folder = Folder::new("trace-sim");
    let set = folder.file(
        "two.toml",
        "cpus = 1\nfor = '100 ms'\n\
         [[task]]\nname = 'fast'\nperiod = '10 ms'\nexecution = '2 ms'\npriority = 3\n\
         [[task]]\nname = 'slow'\nperiod = '50 ms'\nexecution = '20 ms'\npriority = 8\n",
    );
    let line = format!("sim {} --scheduler priority", set.display());
    let Traced { schedule, told, .. } = traced(&folder, &line);
    let events = &schedule[&0];
    let leaves = |who: &str| -> Vec<(u64, u64, u64)> {
        let found = events.iter().filter_map(|(at, event)| match event {
            Event::Switch(from, priority, state, ..) if from == who => {
                Some((*at / 1_000_000, *priority, *state))
            }
            _ => None,
        });
        found.collect()
    };
    // 2 to 10, 12 to 20, 22 to 26 of each 50 ms.
    let slow = [10, 20, 26, 60, 70, 76].map(|at| {
        let done = [26, 76].contains(&at);
        (at, 8, if done { SLEEPING } else { RUNNABLE })
    });
    assert_eq!(leaves("slow"), slow);
    let fast: Vec<_> = (0..10).map(|job| (10 * job + 2, 3, SLEEPING)).collect();
    assert_eq!(leaves("fast"), fast);
    let wakes = events.iter().filter_map(|(at, event)| match event {
        Event::Waking(who, 3) if who == "fast" => Some(*at),
        _ => None,
    });
    assert_eq!(
        wakes.collect::<Vec<_>>(),
        (0..10).map(|job| 10_000_000 * job).collect::<Vec<_>>()
    );
    assert_eq!(told.processors, ["all (priority), cpu 0"]);
    assert!(!told.tracks.contains_key("misses"));
    // A release, a deadline (the last one is the end), a begin and an end of each job.
    let jobs = |task: &str| told.tracks[task].len();
    assert_eq!((jobs("fast"), jobs("slow")), (40, 8));
}

#[test]
fn simulated_guests_lie_on_one_time_line_with_their_virtual_processors() {
    let folder = Folder::new("trace-guests");
    let guest = |name: &str, tasks: &str| {
        format!(
            "[[partition]]\nname = '{name}'\nscheduler = 'priority'\n\
             [[partition.vcpu]]\nperiod = '10 ms'\nbudget = '5 ms'\nextra-time = false\n{tasks}"
        )
    };
    let task = |name: &str, when: &str, execution: &str| {
        format!("[[partition.task]]\nname = '{name}'\n{when}\nexecution = '{execution}'\n")
    };
    let control = task("loop", "period = '20 ms'", "8 ms");
    let busy = task("endless", "once = '1 ms'", "1000 s");
    let pool = "[[pool]]\nname = 'shared'\ncpus = 0\npolicy = 'rtds'\n";
    let costs = "[costs]\nswitch = '1 us'\n[host-costs]\nswitch = '2 us'\n";
    let (control, busy) = (guest("control", &control), guest("busy", &busy));
    let set = folder.file(
        "guests.toml",
        &format!("for = '200 ms'\n{costs}{pool}{control}{busy}"),
    );
    let Traced { schedule, told, .. } = traced(&folder, &format!("sim {}", set.display()));
    assert_eq!(
        told.processors,
        ["shared, cpu 0", "control/vcpu0, cpu 1", "busy/vcpu0, cpu 2"]
    );
    schedule::nested(&schedule, &told.processors);
    let count = |wanted: &dyn Fn(&Event) -> bool| {
        let events = schedule.values().flatten();
        events.filter(|(_, event)| wanted(event)).count()
    };
    let wakes = |name: &str| count(&|event| matches!(event, Event::Waking(who, _) if who == name));
    // Ten jobs wake the guest and its virtual processor; a guest that is never done wakes once.
    assert_eq!(wakes("control/loop"), 10);
    assert_eq!(wakes("control/vcpu0"), 10);
    assert_eq!((wakes("busy/endless"), wakes("busy/vcpu0")), (1, 1));
    let left = |name: &str, wanted: u64| {
        count(
            &|event| matches!(event, Event::Switch(who, _, state, ..) if who == name && *state == wanted),
        )
    };
    // A job of 8 ms has 5 ms, loses the processor, and is done in the next period.
    assert_eq!(left("control/loop", SLEEPING), 10);
    assert_eq!(left("control/loop", RUNNABLE), 10);
    assert_eq!(left("control/vcpu0", SLEEPING), 10);
    assert_eq!(left("control/vcpu0", RUNNABLE), 10);
    assert_eq!(left("busy/vcpu0", SLEEPING), 0);
}

#[test]
fn a_program_that_faults_keeps_its_console_its_trace_and_what_its_registers_mean() {
    let folder = Folder::new("trace-fault");
    // From outside of the tree: the result is in the caller's current folder.
    let output = taktos("trace faults --argument null")
        .env("TAKTOS_ROOT", crate::common::root().canonicalize().unwrap())
        .current_dir(&folder.0)
        .output()
        .unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let fault = "fault: forbidden data access in thread 'victim' at address 0x00000000";
    for words in [
        &format!("error: `null` on mps2-an386 ended with status 70: {fault}\n"),
        "hint: its console, its trace and a report until then are in out/trace-faults\n",
        "    cfsr   DACCVIOL: a load or store where it may not be; ",
        "MMARVALID: the address is known",
        "    pc     ",
        ", inlined in null, workloads/src/faults/mod.rs:",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    let out = folder.0.join("out/trace-faults");
    let console = std::fs::read_to_string(out.join("console.txt")).unwrap();
    assert!(console.contains(fault), "{console}");
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("DACCVIOL"), "{report}");
    let (schedule, _) = read(&out.join("trace.pftrace"));
    assert!(!schedule.is_empty());
}

#[test]
fn what_the_processor_could_not_store_is_unknown() {
    let folder = Folder::new("trace-unknown");
    let out = folder.0.join("out");
    let mut trace = taktos("trace faults --argument overflow-at-an-interrupt --out");
    let output = trace.arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let console = std::fs::read_to_string(out.join("console.txt")).unwrap();
    assert!(console.contains("\n  pc   unknown\n"), "{console}");
    assert!(console.contains("\n  sp   0x"), "{console}");
}

#[test]
fn guests_of_the_hypervisor_lie_on_one_time_line_with_their_virtual_processors() {
    let folder = Folder::new("trace-vm");
    // Both guests are one program at one address: only their places in the machine distinguish
    // them.
    let guest = |name: &str, jobs: &str| {
        format!(
            "[[partition]]\nname = '{name}'\nmemory = '4 MiB'\nimage = 'taktos:periodic'\narguments = '{jobs}'\n\
             [[partition.vcpu]]\nperiod = '1 ms'\nbudget = '0.4 ms'\nextra-time = false\n"
        )
    };
    let pool = "[machine]\ncpus = 1\n[[pool]]\nname = 'all'\ncpus = 0\npolicy = 'rtds'\n";
    let often = guest("often", "period-us=5000 offset-us=25000 work=300000");
    let seldom = guest("seldom", "period-us=20000 offset-us=31000 work=900000");
    let file = folder.file("two.toml", &format!("{pool}{often}{seldom}"));
    let out = folder.0.join("out");
    let shown = succeed(taktos(&format!("vm run {}", file.display())).args([
        "--for",
        "120ms",
        "--trace",
        out.to_str().unwrap(),
        "--out",
        folder.0.join("files").to_str().unwrap(),
    ]));
    assert!(
        shown.contains("still running after 0.12 s of virtual time"),
        "{shown}"
    );
    let (schedule, told) = read(&out.join("trace.pftrace"));
    let names = [
        "cortex-a53, cpu 0",
        "often/vcpu0, cpu 1",
        "seldom/vcpu0, cpu 2",
    ];
    assert_eq!(told.processors, names);
    schedule::nested(&schedule, &told.processors);
    assert_eq!(told.counters.len(), 1);
    for (cpu, period, most) in [(1, 5_000_000, 300_000), (2, 20_000_000, 900_000)] {
        let name = names[cpu].split('/').next().unwrap();
        let events = &schedule[&(cpu as u64)];
        let wakes = events.iter().filter_map(|(at, event)| match event {
            Event::Waking(who, _) if *who == format!("{name}/main") => Some(*at),
            _ => None,
        });
        let wakes: Vec<u64> = wakes.collect();
        assert!(
            wakes.len() as u64 >= 80_000_000 / period,
            "{name}: {wakes:?}"
        );
        for pair in wakes.windows(2) {
            // Late by as long as the guest has no processor.
            assert!(
                (pair[1] - pair[0]).abs_diff(period) < 1_000_000,
                "{name}: {pair:?}"
            );
        }
        // A job executes its work, a nanosecond an instruction, however often it loses the
        // processor.
        let spans = schedule::spans(events);
        for pair in wakes.windows(2) {
            let own = |span: &&(u64, u64, &str)| pair[0] <= span.0 && span.0 < pair[1];
            let executed: u64 = spans.iter().filter(own).map(|span| span.1 - span.0).sum();
            assert!(
                (most..most + 60_000).contains(&executed),
                "{name}: {executed}"
            );
        }
        let leaves = |state: u64| {
            let leaves = |(_, event): &&(u64, Event)| matches!(event, Event::Switch(who, _, left, ..) if who.contains('/') && *left == state);
            events.iter().filter(leaves).count()
        };
        // One that has more work than budget continues in the next period.
        assert!(leaves(SLEEPING) >= wakes.len(), "{name}");
        assert_eq!(
            leaves(RUNNABLE) >= 2 * (wakes.len() - 1),
            cpu == 2,
            "{name}"
        );
        // Its virtual processor sleeps with it, and wakes with it. When its budget is used up, it
        // could continue.
        let vcpu = format!("{name}/vcpu0");
        let count = |wanted: &dyn Fn(&Event) -> bool| {
            schedule[&0]
                .iter()
                .filter(|(_, event)| wanted(event))
                .count()
        };
        let left = |state: u64| {
            count(
                &|event| matches!(event, Event::Switch(who, _, left, ..) if *who == vcpu && *left == state),
            )
        };
        let woken = count(&|event| matches!(event, Event::Waking(who, _) if *who == vcpu));
        assert!(left(SLEEPING) >= wakes.len(), "{vcpu}");
        assert!(woken.abs_diff(left(SLEEPING)) <= 1, "{vcpu}: {woken}");
        assert_eq!(left(RUNNABLE) >= 2 * (wakes.len() - 1), cpu == 2, "{vcpu}");
    }
}

/// The arrows of a program that tries every operation of the kernel, counted by what they say.
fn arrows(board: &str) -> BTreeMap<String, usize> {
    let folder = Folder::new(&format!("trace-arrows-{board}"));
    let Traced { told, .. } = traced(&folder, &format!("trace suite --board {board}"));
    let mut counted = BTreeMap::new();
    for arrow in &told.arrows {
        let says = format!("{}: {}", arrow.from.2, arrow.to.2);
        *counted.entry(says).or_insert(0) += 1;
    }
    counted
}

/// Arrows of a pair that works for as long as a case of time slices takes. Their number depends on
/// the speed of the processor.
const TIMED: [&str; 2] = [
    "reply to three: reply of two",
    "send to two: receive from three",
];

#[test]
fn an_arrow_leads_from_who_sends_or_releases_to_who_gets_it_on_every_architecture() {
    // They run at the same time: a board keeps one processor busy.
    let boards = [
        "mps2-an386",
        "realview-pb-a8",
        "virt-aarch64",
        "virt-riscv64",
    ];
    let found = std::thread::scope(|scope| {
        let runs = boards.map(|board| scope.spawn(move || arrows(board)));
        runs.map(|run| run.join().unwrap())
    });
    let [first, others @ ..] = found.map(|mut arrows| {
        for says in TIMED {
            assert!(arrows.remove(says) > Some(100), "{says}");
        }
        arrows
    });
    for says in [
        "send to one: receive from",
        "reply to",
        "release for",
        "give to",
        "notify",
        "end for",
        "resume",
    ] {
        let is_there = first.keys().any(|arrow| arrow.starts_with(says));
        assert!(is_there, "{says} is not in {first:?}");
    }
    // A program has the same arrows on every board.
    for (board, arrows) in boards[1..].iter().zip(&others) {
        assert_eq!(arrows, &first, "{board}");
    }
}

#[test]
fn a_simulated_lock_goes_from_its_owner_to_who_waits_for_it() {
    let folder = Folder::new("trace-lock");
    let set = folder.file("locks.toml", LOCKS);
    let line = format!("sim {} --scheduler priority", set.display());
    let Traced { told, .. } = traced(&folder, &line);
    // The slow one has the lock from 1 ms on; the urgent one requests it at 3 ms, has it at 5 ms.
    let end = |task: &str, says: &str| (task.to_owned(), 5_000_000, says.to_owned());
    let arrow = Arrow {
        from: end("slow", "release for fast"),
        to: end("fast", "lock after slow"),
    };
    assert_eq!(told.arrows, [arrow]);
}

/// Of two tasks, the less urgent one has a lock when the other one requests it.
const LOCKS: &str = "cpus = 1\nfor = '20 ms'\n\
    [[lock]]\nname = 'bus'\n\
    [[task]]\nname = 'fast'\nperiod = '20 ms'\noffset = '2 ms'\npriority = 3\n\
    body = ['run 1 ms', 'lock bus', 'run 1 ms', 'unlock bus']\n\
    [[task]]\nname = 'slow'\nperiod = '20 ms'\npriority = 8\n\
    body = ['run 1 ms', 'lock bus', 'run 3 ms', 'unlock bus', 'run 1 ms']\n";
