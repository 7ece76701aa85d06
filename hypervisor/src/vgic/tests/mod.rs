//! Owns: the tests of the virtual interrupt controller: against a processor's virtual interface that is modelled here
//! ([`interface`]) and a naive controller ([`naive`]).
//! Must never know: anything of the controller that its callers do not see.

mod interface;
mod lists;
mod naive;
mod random;
mod system;
