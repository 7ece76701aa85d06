//! Owns: the tests of the virtual interrupt controller: against a processor's virtual interface
//! that is modelled here ([`interface`]) and a naive controller ([`naive`]).
//! Must never know: anything of the controller that its callers do not see.

mod access;
mod boot;
mod compare;
mod interface;
mod late;
mod lists;
mod naive;
mod random;
mod system;
