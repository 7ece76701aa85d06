//! Task sets in virtual time: requests become runs, runs become tables, a report and traces.

mod batch;
mod clusters;
mod form;
pub mod guests;
mod outcome;
mod request;
mod result;
mod sources;
mod tables;

pub use batch::{Batch, Judged, Verdict};
pub use clusters::{ClusterRequest, clusters};
pub use form::json;
pub use outcome::{Run, attempt, simulate};
pub use request::{Request, request};
pub use result::outcome;
pub use sources::{SEPARATOR, Written, read};
