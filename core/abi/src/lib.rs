//! taktos-abi
