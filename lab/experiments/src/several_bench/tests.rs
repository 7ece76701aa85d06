//! Records made by hand: every part of an operation has its own figure.

use taktos_emulator::{Edge, Record, Switch};
use taktos_runner::workspace::Workspace;

use super::*;
use crate::baseline::{Changes, checked_in};
use crate::measure::tests::{passed as record, total};

use Edge::{Begin, End, Point};

fn median(counted: Option<Counted>) -> Option<(u64, u64)> {
    counted.map(|c| {
        (
            c.instructions.median,
            c.cycles.map_or(0, |cycles| cycles.median),
        )
    })
}

#[test]
fn a_way_is_divided_where_the_processor_is_called_and_interrupted() {
    let one = record(
        "@round part=across layout=partitioned\n",
        &[
            (Point, "round", 0, 0, 0),
            (Point, "interrupt", 1, 90, 900), // before the begin
            (Begin, "remote-wake", 0, 100, 1000),
            (Begin, "remote-wake-call", 0, 100, 1000),
            (Point, "call", 2, 110, 70), // another's
            (Point, "call", 0, 130, 1030),
            (Point, "interrupt", 1, 125, 905), // behind by less than a quantum
            (End, "remote-wake-call", 0, 150, 1050),
            (End, "remote-wake", 1, 190, 970),
        ],
    );
    let figures = Figures::of("board", &[one]).unwrap();
    let wake = &figures.across["remote-wake"];
    assert_eq!(median(wake.to_call), Some((30, 60)));
    assert_eq!(median(wake.to_return), Some((50, 100)));
    assert_eq!(median(wake.from_interrupt), Some((65, 130)));
    assert_eq!(wake.nanoseconds[&20].median, 90);
    assert_eq!(figures.rows(), 1);
}

#[test]
fn a_thread_that_is_stopped_or_goes_on_is_seen_by_the_switch() {
    let mut one = record(
        "@round part=across layout=affinity\n",
        &[
            (Point, "round", 0, 0, 0),
            (Begin, "remote-suspend", 0, 100, 1000),
            (Point, "interrupt", 1, 120, 500),
            (Begin, "remote-resume", 0, 1000, 2000),
            (Point, "interrupt", 1, 1020, 700),
            (Point, "round-end", 0, 3000, 4000),
        ],
    );
    let switch = |processor, name: &str, at, instructions| Switch {
        processor,
        thread: 1,
        name: name.into(),
        at,
        total: total(at, instructions).count,
        turn: taktos_emulator::Turn::default(),
    };
    one.switches = vec![
        switch(1, "far", 50, 400),    // before the begin by more than a quantum
        switch(0, "main", 130, 1030), // the sender's own
        switch(1, "idle", 140, 520),
        switch(2, "other", 1030, 9),
        switch(1, "far", 1050, 730),
    ];
    let figures = Figures::of("board", &[one]).unwrap();
    let stopped = &figures.across["remote-suspend-affinity"];
    assert_eq!(median(stopped.from_interrupt), Some((20, 40)));
    assert_eq!(stopped.nanoseconds[&20].median, 40);
    assert_eq!(stopped.to_call, None);
    let resumed = &figures.across["remote-resume-affinity"];
    assert_eq!(median(resumed.from_interrupt), Some((30, 60)));
    assert_eq!(resumed.nanoseconds[&20].median, 50);
}

#[test]
fn a_lock_costs_its_waiting_and_both_its_ends() {
    let marks = [
        (Point, "round", 0, 0, 0),
        (Begin, "lock", 0, 100, 10),
        (End, "lock", 0, 110, 20),
        (Begin, "lock", 1, 105, 10),
        (Begin, "unlock", 0, 2110, 2020),
        (End, "unlock", 0, 2115, 2025),
        (End, "lock", 1, 2135, 40),
        (Begin, "unlock", 1, 4135, 2040),
        (End, "unlock", 1, 4100 + 1000, 2047),
    ];
    let two = record("@round part=locks lock=mutex processors=2\n", &marks);
    let figures = Figures::of("board", &[two]).unwrap();
    let cost = &figures.locks["mutex"];
    assert_eq!(cost.alone, None);
    let contended = cost.contended[&20][&2];
    assert_eq!(
        contended,
        Contended {
            mean: (10 + 2030) / 2,
            max: 2030,
            sections: 2 * 1_000_000 / 5000
        }
    );
    let one = record("@round part=locks lock=mutex processors=1\n", &marks[..6]);
    let figures = Figures::of("board", &[one]).unwrap();
    assert_eq!(median(figures.locks["mutex"].alone), Some((15, 30)));
}

#[test]
fn pairs_are_counted_while_all_of_them_are_at_work() {
    let marks = [
        (Point, "round", 0, 0, 0),
        (Begin, "round-trip", 0, 100, 10),
        (End, "round-trip", 0, 150, 60), // the other pair has not begun
        (Begin, "round-trip", 1, 200, 10),
        (Begin, "round-trip", 0, 210, 10),
        (End, "round-trip", 0, 300, 60),
        (Begin, "round-trip", 0, 310, 10),
        (End, "round-trip", 1, 400, 70),
        (End, "round-trip", 0, 1200, 60),
        (Begin, "round-trip", 1, 410, 10),
        (End, "round-trip", 1, 1300, 60), // the other pair has ended
    ];
    let run = record("@round part=pairs pairs=2 turns=7\n", &marks);
    let figures = Figures::of("board", &[run]).unwrap();
    let expected = Pairs {
        each: BTreeMap::from([(0, 2_000), (1, 1_000)]),
        total: 3_000,
        mean: (90 + 890 + 200) / 3,
        max: 890,
    };
    assert_eq!(figures.pairs["pairs-2-turns-7"][&20], expected);
    assert_eq!(figures.rows(), 1);
}

#[test]
fn pairs_that_were_never_at_work_at_once_are_refused() {
    let marks = [
        (Point, "round", 0, 0, 0),
        (Begin, "round-trip", 0, 100, 10),
        (End, "round-trip", 0, 150, 60),
        (Begin, "round-trip", 1, 200, 10),
        (End, "round-trip", 1, 400, 70),
    ];
    let run = record("@round part=pairs pairs=2 turns=0\n", &marks);
    let error = Figures::of("board", &[run]).unwrap_err().to_string();
    assert!(error.contains("pairs-2: there is no time"), "{error}");
}

#[test]
fn operations_on_one_processor_are_counted_there() {
    let one = record(
        "@round part=same layout=partitioned\n",
        &[
            (Point, "round", 0, 0, 0),
            (Begin, "yield", 0, 10, 10),
            (End, "yield", 1, 15, 99), // another processor's
            (End, "yield", 0, 47, 47),
        ],
    );
    let figures = Figures::of("board", &[one]).unwrap();
    assert_eq!(median(Some(figures.same["yield"])), Some((37, 74)));
}

/// Returns an operation of this number of instructions in a round of this layout.
fn operation(layout: &str, name: &str, instructions: u64) -> Record {
    let console = format!("@round part=same layout={layout}\n");
    let marks = [
        (Point, "round", 0, 0, 0),
        (Begin, name, 0, 10, 10),
        (End, name, 0, 10 + instructions, 10 + instructions),
    ];
    record(&console, &marks)
}

#[test]
fn each_layout_has_operations_of_its_own_and_the_first_run_counts() {
    let runs = [
        operation("partitioned", "yield", 7),
        operation("cluster", "yield", 8),
        operation("cluster", "yield", 9),
        operation("cluster-again", "yield", 8),
        operation("cluster-again", "ceiling-lock-unlock", 20),
    ];
    let figures = Figures::of("board", &runs).unwrap();
    let instructions = |counted: Counted| counted.instructions.median;
    assert_eq!(instructions(figures.same["yield"]), 7);
    assert_eq!(instructions(figures.instances["cluster"]["yield"]), 8);
    assert_eq!(figures.instances["cluster-again"].len(), 2);
    assert_eq!(figures.rows(), 4);
    let here = Workspace::find().unwrap();
    let tables = tables(&here, (&figures, None), &goals("")).unwrap();
    let shown = |wanted: &str| {
        let found = tables.iter().find(|(name, _)| name == wanted);
        markdown(&found.unwrap().1)
    };
    let text = shown("again");
    assert!(
        text.contains("| ceiling-lock-unlock | – | – | – | – | – | 20 | – | – |"),
        "{text}"
    );
    assert!(
        text.contains("| yield | 7 | – | – | – | 8 | 8 | – | – |"),
        "{text}"
    );
    let text = shown("instances");
    assert!(text.contains("| yield | 7 | 8 | – | – | – |"), "{text}");
}

#[test]
fn what_is_in_another_layout_than_the_first_says_so() {
    let marks = [
        (Point, "round", 0, 0, 0),
        (Begin, "remote-wake", 0, 100, 1000),
        (End, "remote-wake", 1, 190, 970),
        (Begin, "migrate-self", 0, 200, 1100),
        (End, "migrate-self", 1, 290, 1070),
    ];
    let runs = ["partitioned", "affinity", "edf"].map(|layout| {
        let console = format!("@round part=across layout={layout}\n");
        record(&console, &marks)
    });
    let figures = Figures::of("board", &runs).unwrap();
    let names: Vec<&str> = figures.across.keys().map(String::as_str).collect();
    let expected = [
        "migrate-self",
        "remote-wake",
        "remote-wake-affinity",
        "remote-wake-edf",
    ];
    assert_eq!(names, expected);
}

fn goals(text: &str) -> Goals {
    let head = "share = { board = 125, virt-aarch64-smp = 100 }\n";
    let goals = if text.is_empty() { "goals = []" } else { text };
    Goals::of(&format!("{head}{goals}").parse().unwrap()).unwrap()
}

#[test]
fn a_goal_is_met_or_missed_by_its_figure() {
    let goals = goals(
        r#"
        [[goals]]
        what = "a"
        figure = "same yield instructions median"
        most = 8
        peer = [10, "them"]
        [[goals]]
        what = "b"
        figure = "same yield instructions median"
        least = 12
        peer = [10, "them"]
        [[goals]]
        what = "c"
        figure = "same yield instructions median"
        equals = "same yield cycles median"
        "#,
    );
    let judged = |board: &str, instructions| {
        let run = operation("partitioned", "yield", instructions);
        let figures = Figures::of(board, &[run]).unwrap();
        markdown(&goals.table(&figures).unwrap())
    };
    // A quarter more on this board, and a quarter fewer; nothing of the others.
    let text = judged("board", 10);
    assert!(
        text.contains("| a | 10 | emulated | at most 10 | yes | – |"),
        "{text}"
    );
    assert!(
        text.contains("| b | 10 | emulated | at least 10 | yes | – |"),
        "{text}"
    );
    assert!(
        text.contains("| c | 10 | emulated | the same: 20 | no | – |"),
        "{text}"
    );
    assert!(judged("board", 11).contains("| a | 11 | emulated | at most 10 | no |"));
    assert!(judged("board", 9).contains("| b | 9 | emulated | at least 10 | no |"));
    let text = judged("virt-aarch64-smp", 10);
    assert!(
        text.contains("at most 8 | no | 10 (them, not beaten) |"),
        "{text}"
    );
    assert!(
        text.contains("at least 12 | no | 10 (them, not beaten) |"),
        "{text}"
    );
    let text = judged("virt-aarch64-smp", 9);
    assert!(text.contains("at most 8 | no | 10 (them) |"), "{text}");
    let text = judged("virt-aarch64-smp", 12);
    assert!(text.contains("at least 12 | yes | 10 (them) |"), "{text}");
}

#[test]
fn a_goal_without_a_figure_or_a_share_or_with_two_ends_is_refused() {
    let refused = |board: &str, text: &str| {
        let figures = Figures::of(board, &[operation("partitioned", "yield", 10)]).unwrap();
        let error = goals(text).judged(&figures).unwrap_err();
        error.to_string()
    };
    let goal = |rest: &str| format!("[[goals]]\nwhat = \"it\"\n{rest}\n");
    let error = refused("board", &goal("figure = \"same wake\"\nmost = 1"));
    assert!(
        error.contains("`same wake`, which was not measured"),
        "{error}"
    );
    let yields = "figure = \"same yield instructions median\"";
    let error = refused("board", &goal(&format!("{yields}\nmost = 1\nleast = 1")));
    assert!(error.contains("`it` has not one goal"), "{error}");
    assert!(refused("board", &goal(yields)).contains("has not one goal"));
    let error = refused("another", &goal(&format!("{yields}\nmost = 1")));
    assert!(error.contains("no share for another"), "{error}");
}

/// The checked-in goals are for figures of the checked-in baselines.
#[test]
fn each_goal_is_for_a_figure_that_is_measured() {
    let workspace = Workspace::find().unwrap();
    let goals = Goals::read(&workspace).unwrap();
    for board in Board::all() {
        let figures: Figures = checked_in(&workspace, board.name).unwrap();
        let judged = goals.judged(&figures).unwrap();
        assert!(judged.len() > 40, "{}", judged.len());
        let json: Value = serde_json::from_str(&figures.json(&goals).unwrap()).unwrap();
        assert_eq!(json["goals"].as_array().unwrap().len(), judged.len());
        assert_eq!(json["goals"][0]["evidence"], "emulated");
        for (layout, _) in LAYOUTS.iter().skip(1) {
            assert!(figures.instances.contains_key(*layout), "{layout}");
        }
        for state in [
            "partitioned-again",
            "cluster-again",
            "one-beside",
            "two-beside",
        ] {
            let operations = &figures.instances[state];
            let missing = figures
                .same
                .keys()
                .find(|name| !operations.contains_key(*name));
            assert_eq!(missing, None, "{state}");
        }
    }
}

#[test]
fn a_changed_figure_is_named_with_its_place() {
    let figures = |end| {
        let marks = [
            (Point, "round", 0, 0, 0),
            (Begin, "yield", 0, 10, 10),
            (End, "yield", 0, end, end),
        ];
        Figures::of(
            "board",
            &[record("@round part=same layout=partitioned\n", &marks)],
        )
        .unwrap()
    };
    assert_eq!(
        figures(20).changes(&figures(20)).unwrap(),
        Changes::default()
    );
    let changes = figures(20).changes(&figures(21)).unwrap();
    assert_eq!(
        (changes.gated.len(), changes.reported.len()),
        (3, 3),
        "{changes:?}"
    );
    assert_eq!(changes.reported[0], "same yield cycles max: 20 -> 22");
    let empty = Figures::of("board", &[record("", &[])]).unwrap();
    let gone = figures(20).changes(&empty).unwrap().gated;
    assert!(gone[0].ends_with("is measured no more"), "{gone:?}");
    let came = empty.changes(&figures(20)).unwrap().gated;
    assert!(came[0].ends_with("is not in the baseline"));
}

#[test]
fn cycles_that_move_far_without_instructions_fail() {
    let with_cycles = |median| {
        let summary = |median| Summary {
            min: 1,
            median,
            max: 900,
            samples: 9,
        };
        let counted = Counted {
            instructions: summary(100),
            cycles: Some(summary(median)),
        };
        let mut figures = Figures::of("board", &[record("", &[])]).unwrap();
        figures.same.insert("yield".into(), counted);
        figures
    };
    let changes = |now| with_cycles(200).changes(&with_cycles(now)).unwrap();
    assert_eq!(
        (changes(206).gated.len(), changes(206).reported.len()),
        (0, 1)
    );
    assert_eq!(
        (changes(207).gated.len(), changes(207).reported.len()),
        (1, 0)
    );
}
