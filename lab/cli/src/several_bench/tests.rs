//! Records made by hand: every part of a passage has its own figure.

use std::sync::Arc;

use taktos_emulator::several::{Passing, Record, Switch, Total};
use taktos_emulator::{Count, Edge, Mark};

use super::*;

fn total(at: u64, instructions: u64) -> Total {
    Total {
        at,
        count: Count {
            instructions,
            cycles: 2 * instructions,
        },
        phases: Vec::new(),
    }
}

/// Passings by processor, time and what the processor has executed by then.
fn record(console: &str, marks: &[(Edge, &str, usize, u64, u64)]) -> Record {
    let passing =
        |(edge, name, processor, at, instructions): &(Edge, &str, usize, u64, u64)| Passing {
            processor: *processor,
            mark: Arc::new(Mark {
                edge: *edge,
                name: (*name).into(),
            }),
            asleep: 0,
            total: total(*at, *instructions),
        };
    Record {
        console: console.into(),
        exit_status: 0,
        marks: marks.iter().map(passing).collect(),
        switches: Vec::new(),
        wakes: Vec::new(),
        ended: taktos_emulator::Ending::Image,
        given: None,
        processors: Vec::new(),
        phase_names: Vec::new(),
        modelled: true,
        quantum: 20,
    }
}

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
fn who_is_stopped_or_goes_on_is_seen_by_the_switch() {
    let mut one = record(
        "@round part=across layout=gathered\n",
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
    let stopped = &figures.across["remote-suspend-gathered"];
    assert_eq!(median(stopped.from_interrupt), Some((20, 40)));
    assert_eq!(stopped.nanoseconds[&20].median, 40);
    assert_eq!(stopped.to_call, None);
    let resumed = &figures.across["remote-resume-gathered"];
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

#[test]
fn a_changed_figure_is_named_with_its_place() {
    let figures = |end| {
        let marks = [
            (Point, "round", 0, 0, 0),
            (Begin, "yield", 0, 10, 10),
            (End, "yield", 0, end, end),
        ];
        Figures::of("board", &[record("@round part=same\n", &marks)]).unwrap()
    };
    assert_eq!(figures(20).changes(&figures(20)).unwrap(), [""; 0]);
    let changes = figures(20).changes(&figures(21)).unwrap();
    assert_eq!(changes.len(), 6, "{changes:?}");
    assert_eq!(changes[0], "same yield cycles max: 20 -> 22");
    let empty = Figures::of("board", &[record("", &[])]).unwrap();
    let gone = figures(20).changes(&empty).unwrap();
    assert!(gone[0].ends_with("is measured no more"), "{gone:?}");
    assert!(empty.changes(&figures(20)).unwrap()[0].ends_with("is not in the baseline"));
}

#[test]
fn lines_without_rounds_are_refused() {
    let none = record("@round part=same\n", &[]);
    let error = Figures::of("board", &[none]).unwrap_err().to_string();
    assert!(error.contains("1 @round lines but began 0"), "{error}");
}
