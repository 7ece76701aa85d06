//! The tables, the plots and the sentences.
//!
//! Owns: what stands beside what. Must never know: how a case is run.

use taktos_export::plot::{Chart, Counts, counted_histogram, counted_tail};
use taktos_export::table::{Cell, Column, Table};
use taktos_export::{Basis, Evidence};

use super::Measured;
use super::case::{Case, Guest, Place};
use super::others::{Figures, Others};
use super::words;
use crate::figure::Drawn;
use crate::response::PERCENTILES;

/// What the paper's columns rest on.
const PAPER: &str = "us, hardware";
/// What Xen's rest on.
const XEN: &str = "emulated";
/// The unit of all our figures.
const UNIT: &str = "1,000 instructions";

/// All that is to be shown of the cases that were run.
pub fn draw(all: &[Measured], others: &Others) -> Vec<Drawn> {
    let usual = |guest: Guest| of(all, move |case| case.guest == guest && !case.is_variant());
    let mut drawn = Vec::new();
    for guest in Guest::ALL {
        let chosen = usual(guest);
        if !chosen.is_empty() {
            drawn.push(overview(guest, &chosen, others));
        }
    }
    let variants = of(all, Case::is_variant);
    if !variants.is_empty() {
        drawn.push(departures(&variants, others));
    }
    for guest in Guest::ALL {
        drawn.extend(closely(guest, &usual(guest)));
    }
    drawn
}

fn of(all: &[Measured], wanted: impl Fn(&Case) -> bool) -> Vec<&Measured> {
    all.iter().filter(|one| wanted(&one.case)).collect()
}

/// Ours, the paper's and Xen's, a row for each case.
fn overview(guest: Guest, chosen: &[&Measured], others: &Others) -> Drawn {
    let title = format!("Latency of {}", guest.words());
    let mut table = table(&title, chosen, others);
    table.notes.push(words::how(guest));
    sources(&mut table, others);
    Drawn {
        title,
        answer: words::findings(guest, chosen, others),
        tables: vec![table],
        details: vec![percentiles(guest, chosen)],
        evidence: vec![Evidence::Emulated],
        printed: true,
        ..Drawn::default()
    }
}

/// The cases that depart from the usual in a parameter.
fn departures(chosen: &[&Measured], others: &Others) -> Drawn {
    let title = "Latency with other parameters";
    let mut table = table(title, chosen, others);
    table.notes.push(words::VARIANTS.into());
    Drawn {
        title: title.into(),
        tables: vec![table],
        evidence: vec![Evidence::Emulated],
        printed: true,
        ..Drawn::default()
    }
}

fn table(title: &str, chosen: &[&Measured], others: &Others) -> Table {
    let ours = |name: &str| Column::figures(name, Basis::Ours(Evidence::Emulated));
    let theirs = |name: &str, whose: &str| Column::figures(name, Basis::Theirs(whose.to_owned()));
    let mut columns = vec![Column::label("case"), Column::label("scheduler")];
    if chosen
        .iter()
        .any(|one| one.case.guest != chosen[0].case.guest)
    {
        columns.push(Column::label("guest"));
    }
    let guests = columns.len() > 2;
    columns.push(Column::label("loops"));
    columns.extend(["min", "avg", "max"].map(ours));
    columns.push(ours("99.99 %"));
    columns.push(theirs("paper", PAPER));
    columns.push(theirs("Xen 4.20", XEN));
    columns.push(Column::label("goal"));
    let mut table = Table::new(format!("{title}: {UNIT}"), columns);
    for Measured { case, latency } in chosen {
        let mut row: Vec<Cell> = vec![case.place.name().into(), case.scheduler().into()];
        if guests {
            row.push(case.guest.name().into());
        }
        row.extend([latency.loops(), latency.min(), latency.avg(), latency.max()].map(Cell::from));
        row.push(latency.quantile(9_999, 10_000).into());
        for theirs in [others.paper(case), others.xen(case)] {
            row.push(
                theirs
                    .map(|Figures { min, avg, max }| format!("{min}/{avg}/{max}"))
                    .into(),
            );
        }
        let own = Figures {
            min: latency.min(),
            avg: latency.avg(),
            max: latency.max(),
        };
        row.push(
            others
                .goal(case)
                .map_or(Cell::Blank, |goal| verdict(own, goal)),
        );
        table.push(row);
    }
    table
}

fn verdict(own: Figures, goal: Figures) -> Cell {
    let met = own.min <= goal.min && own.avg <= goal.avg && own.max <= goal.max;
    let words = if met { "met" } else { "missed" };
    Cell::Verdict {
        met,
        words: format!("{words} ({}/{}/{})", goal.min, goal.avg, goal.max),
    }
}

fn sources(table: &mut Table, others: &Others) {
    for (whose, source) in [("The paper", &others.paper), ("Xen 4.20", &others.xen)] {
        if !source.is_empty() {
            table
                .notes
                .push(format!("{whose}, least/mean/greatest: {source}."));
        }
    }
}

fn percentiles(guest: Guest, chosen: &[&Measured]) -> Table {
    let ours = |name: &str| Column::figures(name, Basis::Ours(Evidence::Emulated));
    let mut columns = vec![
        Column::label("case"),
        Column::label("scheduler"),
        ours("mean, instructions"),
    ];
    columns.extend(PERCENTILES.map(|(name, ..)| ours(&format!("{name} %"))));
    columns.push(ours("max"));
    let title = format!("Percentiles of {}: {UNIT}", guest.words());
    let mut table = Table::new(title, columns);
    for Measured { case, latency } in chosen {
        let mut row: Vec<Cell> = vec![
            case.place.name().into(),
            case.scheduler().into(),
            latency.mean_thousandths().into(),
        ];
        row.extend(PERCENTILES.map(|(_, part, whole)| Cell::from(latency.quantile(part, whole))));
        row.push(latency.max().into());
        table.push(row);
    }
    table.notes.push(words::CUT_OFF.into());
    table
}

/// For each place the histograms and the tails of all schedulers.
fn closely(guest: Guest, chosen: &[&Measured]) -> Vec<Drawn> {
    let mut places: Vec<Place> = chosen.iter().map(|one| one.case.place).collect();
    places.dedup();
    places
        .iter()
        .map(|place| plots(guest, *place, chosen))
        .collect()
}

fn plots(guest: Guest, place: Place, chosen: &[&Measured]) -> Drawn {
    let here = chosen.iter().filter(|one| one.case.place == place);
    let names: Vec<(String, Vec<(u64, u64)>)> = here
        .map(|one| (one.case.scheduler(), one.latency.histogram()))
        .collect();
    let counts: Vec<Counts<'_>> = names
        .iter()
        .map(|(name, counts)| (name.as_str(), counts.clone()))
        .collect();
    let title = format!("{}: {}", place.name(), guest.words());
    let stem = format!("{}-{}", place.name(), guest.name());
    let unit = format!("{UNIT} (emulated)");
    let plot = |kind: &str, chart: Chart| (format!("{stem}-{kind}"), chart.to_svg());
    Drawn {
        title: title.clone(),
        plots: vec![
            plot("histogram", counted_histogram(&title, &unit, &counts)),
            plot(
                "tail",
                counted_tail(&format!("{title}: how likely more is"), &unit, &counts),
            ),
        ],
        evidence: vec![Evidence::Emulated],
        ..Drawn::default()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::case::Variant;
    use super::super::others::tests::others;
    use super::super::scheduling::{DEFAULT, Policy};
    use super::*;
    use crate::hypervisor::Latency;

    /// A few cases of Linux, as they might have been measured, and one of Taktos.
    pub fn example() -> Vec<Measured> {
        let one = |case, counts: &[(u64, u64)]| Measured {
            case,
            latency: Latency::of(1000, counts.to_vec()).unwrap(),
        };
        let linux = |place, policy| Case::usual(place, policy, Guest::Linux);
        let shared = linux(Place::Shared, Some(Policy::Rtds));
        let variant = Variant {
            name: "-4-in-10",
            server: Some(DEFAULT),
            ..Variant::default()
        };
        vec![
            one(
                linux(
                    Place::Native {
                        busy: false,
                        four: false,
                    },
                    None,
                ),
                &[(4, 99), (16, 1)],
            ),
            one(
                linux(Place::Dedicated, Some(Policy::CREDIT)),
                &[(4, 99), (12, 1)],
            ),
            one(
                linux(Place::Dedicated, Some(Policy::UNBALANCED)),
                &[(4, 99), (11, 1)],
            ),
            one(shared, &[(5, 99), (30, 1)]),
            one(Case { variant, ..shared }, &[(5, 50), (3000, 50)]),
            one(
                Case {
                    guest: Guest::Taktos,
                    ..shared
                },
                &[(1, 100)],
            ),
        ]
    }

    #[test]
    fn theirs_stand_beside_ours() {
        let drawn = draw(&example(), &others());
        let csv = drawn[0].tables[0].to_csv();
        for row in [
            "\nnative-dedicated,native,100,4,4,16,16,1/3/15,4/4/16,",
            "\ndedicated,credit,100,4,4,12,12,5/27/133,5/8/59,met (4/4/12)\n",
            "\ndedicated,credit-no-balance,100,4,4,11,11,4/23/119,,met (4/4/12)\n",
            "\nshared,rtds,100,5,5,30,30,,5/10/59,missed (5/6/25)\n",
        ] {
            assert!(csv.contains(row), "{row}\n{csv}");
        }
        assert!(!csv.contains("4-in-10"), "{csv}");
        // The other guest, the variants, then a close look at each place of each guest.
        assert!(drawn[1].title.contains("Taktos"), "{}", drawn[1].title);
        assert!(
            drawn[2].tables[0]
                .to_csv()
                .contains("\nshared,rtds-4-in-10,")
        );
        let stems: Vec<&str> = drawn
            .iter()
            .flat_map(|one| &one.plots)
            .map(|plot| plot.0.as_str())
            .collect();
        assert_eq!(stems.len(), 2 * 4);
        assert_eq!(stems[2], "dedicated-linux-rt-histogram");
    }
}
