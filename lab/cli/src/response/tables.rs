//! Distributions as tables, plots and data.

use serde::Serialize;
use taktos_export::plot::{Chart, Counts, counted_histogram, counted_tail};
use taktos_export::table::{Cell, Column, Table};
use taktos_export::{Basis, Evidence, in_order};

use super::{Distribution, PERCENTILES};

/// One row for each named set: samples, least, mean, percentiles, greatest, in nanoseconds.
pub fn percentiles(title: &str, label: &str, sets: &[(String, &Distribution)]) -> Table {
    let ours = |name: String| Column::figures(name, Basis::Ours(Evidence::Emulated));
    let mut columns = vec![Column::label(label), Column::label("samples")];
    columns.extend(["least, ns", "mean, ns"].map(|name| ours(name.into())));
    columns.extend(PERCENTILES.map(|(name, ..)| ours(format!("{name} %"))));
    columns.push(ours("greatest".into()));
    let mut table = Table::new(title, columns);
    for (name, times) in sets {
        let mut row: Vec<Cell> = vec![
            name.as_str().into(),
            times.samples().into(),
            times.min().into(),
            times.mean().into(),
        ];
        row.extend(PERCENTILES.map(|(_, part, whole)| Cell::from(times.quantile(part, whole))));
        row.push(times.max().into());
        table.push(row);
    }
    table
        .notes
        .push("Percentiles by the nearest rank: so many of all samples are not greater.".into());
    table
}

/// How often each value occurred.
pub fn histogram(title: &str, sets: &[(String, &Distribution)]) -> Chart {
    counted_histogram(title, "ns (emulated)", &counts(sets))
}

/// How likely a greater value is.
pub fn tail(title: &str, sets: &[(String, &Distribution)]) -> Chart {
    counted_tail(title, "ns (emulated)", &counts(sets))
}

fn counts<'a>(sets: &'a [(String, &Distribution)]) -> Vec<Counts<'a>> {
    let of = |(name, times): &'a (String, &Distribution)| (name.as_str(), times.counts().to_vec());
    sets.iter().map(of).collect()
}

/// A distribution for programs, in nanoseconds.
#[derive(Serialize)]
pub struct Form {
    samples: u64,
    min: u64,
    mean: u64,
    max: u64,
    #[serde(serialize_with = "in_order")]
    percentiles: Vec<(String, u64)>,
    /// Value, and how often.
    histogram: Vec<(u64, u64)>,
}

/// The distribution for programs.
pub fn form(times: &Distribution) -> Form {
    let percentile =
        |(name, part, whole): (&str, u64, u64)| (name.to_owned(), times.quantile(part, whole));
    Form {
        samples: times.samples(),
        min: times.min(),
        mean: times.mean(),
        max: times.max(),
        percentiles: PERCENTILES.map(percentile).to_vec(),
        histogram: times.counts().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_is_a_row_and_a_series() {
        let times = Distribution::of(vec![(5, 99), (8, 1)]).unwrap();
        let sets = [("semaphore".to_owned(), &times)];
        let csv = percentiles("Times", "mechanism", &sets).to_csv();
        assert!(
            csv.ends_with("\nsemaphore,100,5,5,5,5,5,8,8,8,8\n"),
            "{csv}"
        );
        assert_eq!(
            histogram("Times", &sets).series[0].points,
            [(5.0, 99.0), (8.0, 1.0)]
        );
        assert_eq!(tail("Times", &sets).series[0].points[1], (8.0, 0.01));
        let data = serde_json::to_value(form(&times)).unwrap();
        assert_eq!(data["percentiles"]["99.999"], 8);
        assert_eq!(data["histogram"], serde_json::json!([[5, 99], [8, 1]]));
    }
}
