//! The reader of records: whole files, files cut or changed, bytes of no file.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.

use proptest::prelude::*;
use taktos_cycles::Edge;

use super::*;

const PROCESSORS: usize = 3;
const PHASES: usize = 2;

/// Two places; at the second one an interval ends and another begins.
fn places() -> Vec<Vec<Arc<Mark>>> {
    let mark = |edge| {
        let name = "give".to_owned();
        Arc::new(Mark { edge, name })
    };
    vec![
        vec![mark(Edge::Begin)],
        vec![mark(Edge::End), mark(Edge::Begin)],
    ]
}

/// Entry of a file, other than its end: kind, processor, argument, step of the totals.
type Entry = (bool, u8, u8, u32);

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    prop::collection::vec(any::<Entry>(), 0..20)
}

/// A processor's totals: time, instructions, cycles, and those of the phases.
fn state(at: u64, with_phases: bool) -> impl Iterator<Item = u64> {
    let phases = if with_phases { PHASES } else { 0 };
    let phases = (0..phases as u64).flat_map(move |_| [at / 2, at]);
    [at * PICOSECONDS, at, 2 * at].into_iter().chain(phases)
}

/// A whole file, with the numbers of passings and switches in it.
fn file(entries: &[Entry]) -> (Vec<u8>, usize, usize) {
    let mut at = [0; PROCESSORS];
    let mut words = vec![PROCESSORS as u64, PHASES as u64];
    let (mut passings, mut switches) = (0, 0);
    for (mark, processor, argument, step) in entries {
        let processor = usize::from(*processor) % PROCESSORS;
        at[processor] += u64::from(*step);
        let head = (processor as u64) << 8;
        if *mark {
            let place = u64::from(argument % 2);
            passings += 1 + place as usize;
            words.push(MARK | head | (1 + place) << 16 | u64::from(*argument) << 32);
            words.extend(state(at[processor], true));
        } else {
            switches += 1;
            words.extend([WAKE | head, at[processor] * PICOSECONDS, 8, 2]);
            words.extend([HOLD | head, 0x4020_0000, at[processor]]);
            words.push(SWITCH | head);
            words.extend(state(at[processor], false));
            words.extend([u64::from(*argument), 0x1_0000_0000, 4]);
            words.extend([1 << 32, 0, 1 << 32, 0]);
        }
    }
    words.push(END);
    // After each processor's totals its exceptions.
    words.extend(
        at.into_iter()
            .flat_map(|at| state(at, true).chain([3, 2, 1])),
    );
    let body = words.into_iter().flat_map(u64::to_le_bytes);
    let bytes = b"TAKREC09".iter().copied().chain(body).collect();
    (bytes, passings, switches)
}

/// Returns the events of a file, and its end.
fn told(bytes: &[u8]) -> (Vec<Event>, Result<Summary, Error>) {
    let mut events = Vec::new();
    let summary = read(bytes, &places(), PHASES, &mut |event| events.push(event));
    (events, summary)
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn a_whole_file_is_read_and_a_shorter_or_longer_one_refused(
        entries in entries(),
        cut: prop::sample::Index,
    ) {
        let (mut bytes, passings, switches) = file(&entries);
        let (events, summary) = told(&bytes);
        let summary = summary.unwrap();
        prop_assert_eq!(summary.processors.len(), PROCESSORS);
        prop_assert!(summary.modelled && summary.ended == Ending::Image);
        let exceptions = Exceptions { entries: 9, returns: 6, chains: 3 };
        prop_assert_eq!(summary.exceptions, exceptions);
        let marks = events.iter().filter(|event| matches!(event, Event::Mark(_)));
        // A wake-up and a hold go before each switch.
        prop_assert_eq!((marks.count(), events.len()), (passings, passings + 3 * switches));
        let shorter = &bytes[..cut.index(bytes.len())];
        prop_assert!(matches!(told(shorter).1, Err(Error::Damaged(_))));
        bytes.push(0);
        prop_assert!(matches!(told(&bytes).1, Err(Error::Damaged(_))));
    }

    #[test]
    fn a_processor_never_goes_back(
        entries in entries(),
        changes in prop::collection::vec(any::<(prop::sample::Index, u8)>(), 1..8),
    ) {
        let (mut bytes, ..) = file(&entries);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let mut last = [0; PROCESSORS];
        for event in told(&bytes).0 {
            let (processor, at) = match event {
                Event::Mark(passing) => (passing.processor, passing.total.at),
                Event::Switch(switched) => (switched.processor, switched.at),
                Event::Wake(wake) => (wake.processor, wake.at),
                // A hold has no time; a guest's processors are others.
                Event::Hold(_) | Event::OfGuest(..) => continue,
            };
            prop_assert!(last[processor] <= at);
            last[processor] = at;
        }
    }

    #[test]
    fn bytes_of_no_file_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        prop_assert!(told(&bytes).1.is_err());
        let headed = [b"TAKREC09", bytes.as_slice()].concat();
        prop_assert!(told(&headed).1.is_err());
    }

    #[test]
    fn words_of_any_kind_are_read_or_refused(
        words in prop::collection::vec(
            prop_oneof![0..5_u64, Just(0x1_0001), Just(0x1_0101), Just(0x302), any::<u64>()],
            0..120,
        ),
    ) {
        let header = [PROCESSORS as u64, PHASES as u64];
        let body = header.into_iter().chain(words).flat_map(u64::to_le_bytes);
        let bytes: Vec<u8> = b"TAKREC09".iter().copied().chain(body).collect();
        let _ = told(&bytes);
    }
}

/// Change of the words of a good file.
type Change = fn(&mut Vec<u64>);

#[test]
fn what_is_wrong_is_named() {
    let named = |change: Change| {
        let (bytes, ..) = file(&[(true, 0, 0, 5), (true, 0, 0, 5)]);
        let mut words: Vec<u64> = bytes[8..]
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
            .collect();
        change(&mut words);
        let body = words.into_iter().flat_map(u64::to_le_bytes);
        let bytes: Vec<u8> = b"TAKREC09".iter().copied().chain(body).collect();
        told(&bytes).1.unwrap_err().to_string()
    };
    let cases: [(Change, &str); 8] = [
        (|words| words[0] = 9, "too many processors"),
        (|words| words[0] = 0, "or none"),
        (|words| words[1] = 3, "other phases"),
        (|words| words[2] = 0x07, "no kind"),
        (|words| words[2] |= 0x300, "processor of no number"),
        (|words| words[2] = 0x3_0001, "mark of no place"),
        (|words| words[11] = 0, "time that goes back"),
        (|words| words[12] = 0, "totals that shrink"),
    ];
    for (change, cause) in cases {
        let error = named(change);
        assert!(error.contains(cause), "{error} for {cause}");
    }
    let unknown = named(|words| {
        words[2] = TROUBLE | 1 << 16;
        words[4] = 0x1_0000_0040;
    });
    assert!(unknown.contains("0x100000040"), "{unknown}");
    let unexplained = named(|words| words[2..5].copy_from_slice(&[TROUBLE | 2 << 16, 0x40, 0x80]));
    assert!(
        unexplained.contains("from 0x00000040 to 0x00000080"),
        "{unexplained}"
    );
}
