//! The console's lines for the laboratory: any text, and rounds that go with it.

use proptest::prelude::*;
use taktos_emulator::Edge;
use taktos_random::texts::text;

use super::tests::record;
use super::*;

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        text(),
        Just("@round".to_owned()),
        "@round( [a-z]{0,4}={0,2}[0-9a-z]{0,3}){0,3}",
        "@[a-z-]{0,8} {0,2}[ -~]{0,12}",
        "[a-z @=]{0,12}",
    ]
}

/// Marks and rounds, each a step later than the one before.
fn marks() -> impl Strategy<Value = Vec<(&'static str, Edge, u64)>> {
    let mark = prop::sample::select(vec![
        ("a", Edge::Begin),
        ("a", Edge::End),
        ("b", Edge::Begin),
        ("b", Edge::End),
        ("round", Edge::Point),
        ("other", Edge::Point),
    ]);
    let steps = prop::collection::vec((mark, 0..1_u64 << 50), 0..40);
    steps.prop_map(|steps| {
        let mut at = 0;
        let later = |((name, edge), step)| {
            at += step;
            (name, edge, at)
        };
        steps.into_iter().map(later).collect()
    })
}

/// Returns how many rounds these marks begin.
fn begun(marks: &[(&str, Edge, u64)]) -> usize {
    marks.iter().filter(|(name, ..)| *name == "round").count()
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn any_console_is_observed_or_refused(lines in prop::collection::vec(line(), 0..12), marks in marks()) {
        let console = lines.join("\n");
        let record = record(&console, &marks);
        let rounds = record.facts().filter(|(key, _)| *key == "round").count();
        match observe(&record) {
            Ok(observation) => {
                prop_assert_eq!(rounds, begun(&marks));
                prop_assert_eq!(observation.facts.len() + rounds, record.facts().count());
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn rounds_that_go_with_their_lines_are_observed(
        keys in prop::collection::vec(("[a-z-]{1,6}", "[!-~é]{0,6}"), 40),
        marks in marks(),
    ) {
        let labels = &keys[..begun(&marks)];
        let lines = labels.iter().map(|(key, value)| format!("@round {key}={value}\r\n"));
        let observation = observe(&record(&lines.collect::<String>(), &marks)).unwrap();
        let labelled = observation.rounds.iter().filter(|round| !round.labels.is_empty());
        let seen: Vec<(String, String)> = labelled.flat_map(|round| round.labels.clone()).collect();
        prop_assert_eq!(seen.as_slice(), labels);
        let ends = marks.iter().filter(|(_, edge, _)| *edge == Edge::End).count();
        prop_assert!(observation.sample_count() <= ends);
        for round in &observation.rounds {
            for (mark, shares) in &round.phases {
                let least = round.samples[mark].iter().map(|sample| sample.cycles).min();
                let cycles = shares.iter().map(|share| share.cycles).sum();
                prop_assert_eq!(Some(cycles), least, "the cheapest sample's");
            }
        }
    }
}
