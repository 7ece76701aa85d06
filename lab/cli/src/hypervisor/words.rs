//! The findings in words, each with its figures.
//!
//! Owns: which figures are compared in a sentence. Must never know: tables.

use super::Measured;
use super::case::{Guest, Place};
use super::others::{Figures, Others};
use super::scheduling::Policy;

/// What rounding means, below tables.
pub const CUT_OFF: &str = "Whole units, cut off, as cyclictest does; the mean is of the samples as fine as the guest \
     counts them: Linux in whole units, Taktos in ticks of 16 instructions.";

/// What departs in the table of variants.
pub const VARIANTS: &str = "wait-trapped: WFI is trapped though nobody shares the processor, as in Xen. timer-floor: the \
     hypervisor's timer is never set closer ahead. 4-in-10: both guests have RTDS's default server. \
     busy-4-in-10: the busy one alone has, which admission refuses. no-ratelimit: \
     CREDIT's rate limit is 0. quantum: how far the four processors may drift apart.";

/// How the figures of a guest came to be.
pub fn how(guest: Guest) -> String {
    let counted = match guest {
        Guest::Linux => {
            "cyclictest counts whole microseconds of its own clock, which is one instruction a nanosecond"
        }
        Guest::Taktos => "the program reads the counter, 16 instructions a tick",
    };
    format!(
        "{counted}. Under SEDF, RTDS and ARINC 653 parameters are those of docs/hypervisor.md: defaults with a processor \
         of its own, 0.5 ms in 1 ms where the guest shares it."
    )
}

/// What was found of a guest.
pub fn findings(guest: Guest, chosen: &[&Measured], others: &Others) -> Vec<String> {
    let found = [
        native(guest, chosen),
        dedicated(guest, chosen),
        balance(guest, chosen, Place::Dedicated),
        balance(guest, chosen, Place::DedicatedFour { pinned: false }),
        shared(guest, chosen),
        goals(guest, chosen, others),
    ];
    found.into_iter().flatten().collect()
}

fn at<'a>(chosen: &[&'a Measured], place: Place) -> Vec<&'a Measured> {
    let here = chosen.iter().filter(|one| one.case.place == place);
    here.copied().collect()
}

/// Least, mean, greatest.
fn three(one: &Measured) -> String {
    let latency = &one.latency;
    format!("{}/{}/{}", latency.min(), latency.avg(), latency.max())
}

fn native(guest: Guest, chosen: &[&Measured]) -> Option<String> {
    let alone = at(
        chosen,
        Place::Native {
            busy: false,
            four: false,
        },
    );
    let busy = at(
        chosen,
        Place::Native {
            busy: true,
            four: false,
        },
    );
    let beside = busy
        .first()
        .map(|busy| format!(", {} beside an endless loop", three(busy)));
    Some(format!(
        "{} on the bare machine: {} in {} wake-ups{} (least/mean/greatest, 1,000 instructions, emulated).",
        guest.words(),
        three(alone.first()?),
        alone.first()?.latency.loops(),
        beside.unwrap_or_default()
    ))
}

fn extremes<'a>(all: &[&'a Measured]) -> Option<(&'a Measured, &'a Measured)> {
    let greatest = |one: &&&Measured| (one.latency.max(), one.latency.avg());
    let best = all.iter().min_by_key(greatest)?;
    let worst = all.iter().max_by_key(greatest)?;
    Some((best, worst))
}

fn schedulers(count: usize) -> String {
    match count {
        1 => "one scheduler".into(),
        more => format!("{more} schedulers"),
    }
}

fn dedicated(guest: Guest, chosen: &[&Measured]) -> Option<String> {
    let all = at(chosen, Place::Dedicated);
    let (best, worst) = extremes(&all)?;
    let native = at(
        chosen,
        Place::Native {
            busy: false,
            four: false,
        },
    );
    let beyond = native.first().map(|native| {
        let (own, bare) = (worst.latency.max(), native.latency.max());
        match own.checked_sub(bare) {
            Some(more) => format!("; at worst {more} above the bare machine's greatest"),
            None => format!(
                "; at worst {} below the bare machine's greatest",
                bare - own
            ),
        }
    });
    Some(format!(
        "{} with a processor of its own: from {} ({}) to {} ({}) under {}{} (emulated).",
        guest.words(),
        three(best),
        best.case.scheduler(),
        three(worst),
        worst.case.scheduler(),
        schedulers(all.len()),
        beyond.unwrap_or_default()
    ))
}

fn balance(guest: Guest, chosen: &[&Measured], place: Place) -> Option<String> {
    let all = at(chosen, place);
    let of = |policy: Policy| all.iter().find(|one| one.case.policy == Some(policy));
    let (with, without) = (of(Policy::CREDIT)?, of(Policy::UNBALANCED)?);
    Some(format!(
        "{}, {}: CREDIT with load balancing {}, without {} (emulated).",
        guest.words(),
        place.name(),
        three(with),
        three(without)
    ))
}

fn shared(guest: Guest, chosen: &[&Measured]) -> Option<String> {
    let all = at(chosen, Place::Shared);
    let (best, worst) = extremes(&all)?;
    Some(format!(
        "{} beside a busy Linux on the same processor: from {} ({}) to {} ({}) under {} (emulated); null cannot share.",
        guest.words(),
        three(best),
        best.case.scheduler(),
        three(worst),
        worst.case.scheduler(),
        schedulers(all.len())
    ))
}

fn goals(guest: Guest, chosen: &[&Measured], others: &Others) -> Option<String> {
    let mut judged = 0;
    let mut missed = Vec::new();
    for one in chosen {
        let Some(Figures { min, avg, max }) = others.goal(&one.case) else {
            continue;
        };
        judged += 1;
        let latency = &one.latency;
        if latency.min() > min || latency.avg() > avg || latency.max() > max {
            missed.push(format!(
                "{} {} ({} of {min}/{avg}/{max})",
                one.case.place.name(),
                one.case.scheduler(),
                three(one)
            ));
        }
    }
    let tail = match missed.is_empty() {
        true => String::new(),
        false => format!("; missed: {}", missed.join(", ")),
    };
    (judged > 0).then(|| {
        format!(
            "{}: goals met: {} of {judged}{tail}.",
            guest.words(),
            judged - missed.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::draw::tests::example;
    use super::super::others::tests::others;
    use super::*;

    #[test]
    fn the_findings_hold_their_figures() {
        let all = example();
        let linux: Vec<&Measured> = all
            .iter()
            .filter(|one| one.case.guest == Guest::Linux && !one.case.is_variant())
            .collect();
        let found = findings(Guest::Linux, &linux, &others());
        assert_eq!(
            found,
            [
                "RT Linux, cyclictest on the bare machine: 4/4/16 in 100 wake-ups (least/mean/greatest, 1,000 instructions, emulated).",
                "RT Linux, cyclictest with a processor of its own: from 4/4/11 (credit-no-balance) to 4/4/12 (credit) under 2 schedulers; at worst 4 below the bare machine's greatest (emulated).",
                "RT Linux, cyclictest, dedicated: CREDIT with load balancing 4/4/12, without 4/4/11 (emulated).",
                "RT Linux, cyclictest beside a busy Linux on the same processor: from 5/5/30 (rtds) to 5/5/30 (rtds) under one scheduler (emulated); null cannot share.",
                "RT Linux, cyclictest: goals met: 2 of 3; missed: shared rtds (5/5/30 of 5/6/25).",
            ]
        );
        assert!(findings(Guest::Taktos, &[], &others()).is_empty());
    }
}
