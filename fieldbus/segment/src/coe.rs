//! CANopen over EtherCAT: the service of a request (ETG.1000.6, 5.6.2).
//!
//! Owns: the CoE header. Must never know: the effect of a service.

use crate::bytes::word;
use crate::dictionary::Dictionary;
use crate::mailbox::Mailbox;
use crate::reply::{Reply, SERVICE_NOT_SUPPORTED, SIZE_TOO_SHORT};
use crate::{sdo, sdo_information};

/// Services, in the header's upper four bits.
const SDO_REQUEST: u16 = 2;
const SDO_RESPONSE: u16 = 3;
const SDO_INFORMATION: u16 = 8;

/// Bytes of the CoE header.
const HEADER: usize = 2;

/// Answers a request.
///
/// # Errors
/// The detail of a mailbox error.
pub(crate) fn serve(
    request: &[u8],
    reply: &mut Reply<'_>,
    mailbox: &mut Mailbox,
    dictionary: &mut Dictionary<'_>,
) -> Result<(), u16> {
    if request.len() < HEADER {
        return Err(SIZE_TOO_SHORT);
    }
    let body = &request[HEADER..];
    let has_information = dictionary
        .model
        .mailbox
        .is_some_and(|mailbox| mailbox.information);
    match word(request, 0) >> 12 {
        SDO_REQUEST => {
            reply.put(&(SDO_RESPONSE << 12).to_le_bytes());
            sdo::serve(body, reply, &mut mailbox.transfer, dictionary)
        }
        SDO_INFORMATION if has_information => {
            reply.put(&(SDO_INFORMATION << 12).to_le_bytes());
            sdo_information::serve(body, reply, &mut mailbox.listing, dictionary)
        }
        _ => Err(SERVICE_NOT_SUPPORTED),
    }
}

/// The next part of a list that did not fit into one mailbox.
pub(crate) fn go_on(reply: &mut Reply<'_>, mailbox: &mut Mailbox, dictionary: &Dictionary<'_>) {
    reply.put(&(SDO_INFORMATION << 12).to_le_bytes());
    sdo_information::go_on(reply, &mut mailbox.listing, dictionary);
}
