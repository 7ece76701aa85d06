//! The figures for programs. The shape is fixed; times are in microseconds.

use serde::Serialize;
use taktos_export::{Evidence, in_order, to_json};

use super::case::Layout;
use super::figures::{Figures, TaskFigures, Times};
use super::samples::Run;
use crate::experiment::Scale;

#[derive(Serialize)]
struct Form<'a> {
    platform: &'a str,
    evidence: Evidence,
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<&'static str>,
    #[serde(serialize_with = "in_order")]
    policies: Vec<(String, PolicyForm)>,
}

/// By the number of processors.
#[derive(Serialize)]
#[serde(transparent)]
struct PolicyForm(#[serde(serialize_with = "in_order")] Vec<(String, RunForm)>);

#[derive(Serialize)]
struct RunForm {
    #[serde(serialize_with = "in_order")]
    tasks: Vec<(String, TaskForm)>,
    overhead_share: f64,
}

#[derive(Serialize)]
struct TaskForm {
    jobs: u64,
    missed: u64,
    cpu_us: Option<TimesForm>,
    wall_us: Option<TimesForm>,
}

#[derive(Serialize)]
struct TimesForm {
    min: f64,
    mean: f64,
    max: f64,
}

impl From<Times> for TimesForm {
    fn from(times: Times) -> Self {
        let micros = |nanos: u64| nanos as f64 / 1000.0;
        Self {
            min: micros(times.min),
            mean: micros(times.mean),
            max: micros(times.max),
        }
    }
}

impl From<&TaskFigures> for TaskForm {
    fn from(task: &TaskFigures) -> Self {
        Self {
            jobs: task.jobs,
            missed: task.missed,
            cpu_us: task.cpu.map(TimesForm::from),
            wall_us: task.wall.map(TimesForm::from),
        }
    }
}

impl From<&Figures> for RunForm {
    fn from(figures: &Figures) -> Self {
        let task = |task: &TaskFigures| (task.name.clone(), task.into());
        Self {
            tasks: figures.tasks.iter().map(task).collect(),
            overhead_share: figures.overhead() as f64 / 1_000_000.0,
        }
    }
}

/// The name under which a run stands: the policy; where its processors are in
/// several instances, the layout behind it.
fn name(run: &Run) -> String {
    match run.case.layout {
        Layout::One | Layout::Global => run.case.policy.name().to_owned(),
        layout => format!("{}-{}", run.case.policy, layout.name()),
    }
}

/// The runs, by policy and number of processors.
pub fn json(platform: &str, scale: Option<Scale>, runs: &[&Run]) -> String {
    let mut policies: Vec<(String, PolicyForm)> = Vec::new();
    for run in runs {
        let one = (
            run.case.layout.processors().to_string(),
            RunForm::from(&run.figures),
        );
        let name = name(run);
        match policies.iter_mut().find(|policy| policy.0 == name) {
            Some((_, policy)) => policy.0.push(one),
            None => policies.push((name, PolicyForm(vec![one]))),
        }
    }
    to_json(&Form {
        platform,
        evidence: Evidence::Emulated,
        form: scale.map(Scale::name),
        policies,
    })
}

#[cfg(test)]
mod tests {
    use super::super::samples::tests::run;
    use super::*;
    use taktos_simulate::Policy;

    #[test]
    fn the_shape_is_as_promised() {
        let runs = [
            run(Policy::Edf, Layout::One, 100, 2000),
            run(Policy::Edf, Layout::Global, 100, 1500),
            run(Policy::Edf, Layout::Partitioned, 100, 1500),
        ];
        let text = json("virt-aarch64-smp", Some(Scale::Full), &runs.each_ref());
        let data: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(data["platform"], "virt-aarch64-smp");
        assert_eq!(data["evidence"], "emulated");
        assert_eq!(data["form"], "full");
        let policies = data["policies"].as_object().unwrap();
        assert_eq!(
            policies.keys().collect::<Vec<_>>(),
            ["edf", "edf-partitioned"]
        );
        let four = &data["policies"]["edf"]["4"];
        assert_eq!(four["overhead_share"], 0.000_999);
        let first = &four["tasks"]["T1"];
        assert_eq!(
            (first["jobs"].as_u64(), first["missed"].as_u64()),
            (Some(20), Some(1))
        );
        assert_eq!(first["wall_us"]["max"], 90_000.005);
        assert_eq!(first["cpu_us"]["min"], 60_000.0);
        assert_eq!(
            data["policies"]["edf"]["1"]["tasks"]["T1"]["wall_us"]["mean"],
            120_000.0
        );
        assert!(data["policies"]["edf-partitioned"]["4"]["tasks"]["T7"].is_object());
    }
}
