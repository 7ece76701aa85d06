//! Owns: the choice of the processor that continues if several can.
//! Must never know: the actions of the processors.

/// Step that can happen next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The processor of this number continues.
    Goes(usize),
    /// The call that is on its way to the processor of this number arrives there.
    Arrives(usize),
}

/// Returns the index of the next step. Called if there are two or more: processors by their number,
/// then calls by the number of their processor.
pub type Chooser = Box<dyn FnMut(&[Step]) -> usize>;

/// The order in which the processors of a world continue. Runs in equal orders are equal.
pub enum Order {
    /// Calls arrive at once, and one processor continues after the other, to its next point of
    /// interleaving.
    Turns,
    /// At random, from this seed. The time for which one processor continues before others do
    /// depends on the seed, too.
    Seed(u64),
    /// As the caller says.
    Chosen(Chooser),
}

impl Order {
    /// Returns the function that makes the choices.
    pub(crate) fn chooser(self) -> Chooser {
        match self {
            Self::Turns => {
                let mut last = 0;
                Box::new(move |steps| by_turns(steps, &mut last))
            }
            Self::Seed(seed) => {
                let mut chance = Chance::new(seed);
                Box::new(move |steps| chance.choose(steps))
            }
            Self::Chosen(chooser) => chooser,
        }
    }
}

fn by_turns(steps: &[Step], last: &mut usize) -> usize {
    let arrival = |step: &Step| matches!(step, Step::Arrives(_));
    let later = |step: &Step| matches!(step, Step::Goes(processor) if *processor > *last);
    let chosen = steps
        .iter()
        .position(arrival)
        .or_else(|| steps.iter().position(later))
        .unwrap_or(0);
    if let Step::Goes(processor) = steps[chosen] {
        *last = processor;
    }
    chosen
}

/// Random source with a seed (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014: SplitMix64).
struct Chance {
    state: u64,
    /// In how many of 64 cases the last processor continues, if it can.
    faithful: u64,
    last: Step,
}

impl Chance {
    fn new(seed: u64) -> Self {
        Self {
            state: seed,
            faithful: [0, 32, 56, 62][(seed % 4) as usize],
            last: Step::Goes(0),
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn choose(&mut self, steps: &[Step]) -> usize {
        if self.next() % 64 < self.faithful
            && let Some(place) = steps.iter().position(|step| *step == self.last)
        {
            return place;
        }
        let place = (self.next() % steps.len() as u64) as usize;
        if let Step::Goes(_) = steps[place] {
            self.last = steps[place];
        }
        place
    }
}
