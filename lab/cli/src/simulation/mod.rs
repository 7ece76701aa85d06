//! Task sets in virtual time: what is asked becomes runs, runs become tables,
//! a report and traces.

mod clusters;
mod form;
pub mod guests;
mod outcome;
mod recorder;
mod request;
mod result;
mod tables;

pub use clusters::{ClusterRequest, clusters};
pub use form::{csv, json, screen};
pub use outcome::simulate;
pub use recorder::Recorder;
pub use request::{Request, request};
pub use result::{pftrace, write};
