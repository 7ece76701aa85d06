//! taktos-workloads
