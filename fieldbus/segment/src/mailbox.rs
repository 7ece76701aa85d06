//! The mailbox of a device: headers, counters, repetition, errors (ETG.1000.4, 5.6; ETG.1000.6,
//! 5.6.1).
//!
//! Owns: the common parts of all protocols over it. Must never know: the messages of a protocol.

use core::ops::Range;

use crate::bytes::{put, word};
use crate::coe;
use crate::device::Device;
use crate::dictionary::Dictionary;
use crate::foe::File;
use crate::model::SyncManagerKind;
use crate::registers::{SYNC_MANAGER, SYNC_MANAGER_LENGTH};
use crate::reply::{Reply, SYNTAX, UNSUPPORTED_PROTOCOL};
use crate::sdo::Transfer;
use crate::sdo_information::Listing;
use crate::state::State;

/// Bytes of the mailbox header.
pub(crate) const HEADER: usize = 6;

/// Types (ETG.1000.4, table 29).
const ERROR: u8 = 0;
const COE: u8 = 3;
const FOE: u8 = 4;
const AOE: u8 = 1;
const EOE: u8 = 2;
const SOE: u8 = 5;
const VOE: u8 = 15;

pub(crate) struct Mailbox {
    /// The counter of the last request, and of the last reply: 1 to 7.
    heard: u8,
    said: u8,
    /// When the application takes up the request.
    pub(crate) due: Option<u64>,
    /// The repeat request that was answered (register 0x080E, bit 1), and the bytes of the last
    /// reply.
    repeat: bool,
    pub(crate) transfer: Transfer,
    pub(crate) listing: Option<Listing>,
    file: File,
    /// Bytes that a request may have, after the mailbox header.
    request_room: usize,
}

impl Mailbox {
    pub(crate) const fn new() -> Self {
        Self {
            heard: 0,
            said: 0,
            due: None,
            repeat: false,
            transfer: Transfer::new(),
            listing: None,
            file: File::new(),
            request_room: 0,
        }
    }

    pub(crate) fn reset(&mut self) {
        self.heard = 0;
        self.said = 0;
        self.due = None;
        self.listing = None;
        self.transfer.end();
        self.file.end();
    }
}

impl Device<'_> {
    /// The MainDevice has written a mailbox.
    pub(crate) fn mailbox_written(&mut self) {
        match self.model.delays.reaction_ns {
            0 => self.serve_mailbox(),
            delay => self.mailbox.due = Some(self.clock.now() + u64::from(delay)),
        }
    }

    /// The MainDevice has read a mailbox: there may be more to say, or another request.
    pub(crate) fn mailbox_read(&mut self) {
        if self.mailbox.listing.is_some() {
            self.reply(COE, |request, reply, mailbox, dictionary| {
                let _ = request;
                coe::go_on(reply, mailbox, dictionary);
                Ok(())
            });
        } else {
            self.mailbox_written();
        }
    }

    /// Takes up the request for the application, if there is one and space for the reply.
    pub(crate) fn serve_mailbox(&mut self) {
        self.mailbox.due = None;
        let Some((request, true)) = self.mailbox_area(SyncManagerKind::MailboxOut) else {
            return;
        };
        if !matches!(
            self.mailbox_area(SyncManagerKind::MailboxIn),
            Some((_, false))
        ) {
            return;
        }
        let kind = self.memory.byte(request.start + 5);
        self.set_mailbox_full(SyncManagerKind::MailboxOut, false);
        let counter = kind >> 4 & 7;
        if counter != 0 && counter == self.mailbox.heard {
            return;
        }
        self.mailbox.heard = counter;
        self.answer(kind & 0x0F);
    }

    fn answer(&mut self, kind: u8) {
        let can = |wanted: fn(&crate::model::Mailbox) -> bool| {
            self.model.mailbox.as_ref().is_some_and(wanted)
        };
        match kind {
            COE if can(|mailbox| mailbox.coe) && self.al.state != State::Bootstrap => {
                self.reply(COE, coe::serve);
            }
            FOE if can(|mailbox| mailbox.foe) => {
                self.reply(FOE, |request, reply, mailbox, _| {
                    let whole = mailbox.request_room;
                    mailbox.file.serve(request, whole, reply)
                });
            }
            COE | FOE | AOE | EOE | SOE | VOE => {
                self.reply(ERROR, |_, _, _, _| Err(UNSUPPORTED_PROTOCOL));
            }
            _ => self.reply(ERROR, |_, _, _, _| Err(SYNTAX)),
        }
    }

    /// Writes a reply of `kind`, which `write` makes from the request; where it answers a detail,
    /// an error.
    fn reply(
        &mut self,
        kind: u8,
        write: impl Fn(&[u8], &mut Reply<'_>, &mut Mailbox, &mut Dictionary<'_>) -> Result<(), u16>,
    ) {
        let (Some((from, _)), Some((to, _))) = (
            self.mailbox_area(SyncManagerKind::MailboxOut),
            self.mailbox_area(SyncManagerKind::MailboxIn),
        ) else {
            return;
        };
        let Some((request, area)) = self.memory.pair(from, to) else {
            return;
        };
        let length = usize::from(word(request, 0)).min(request.len() - HEADER);
        self.mailbox.request_room = request.len() - HEADER;
        let request = &request[HEADER..HEADER + length];
        let (head, body) = area.split_at_mut(HEADER);
        let mut reply = Reply {
            bytes: body,
            length: 0,
        };
        let mut dictionary = Dictionary {
            model: self.model,
            application: &mut self.application,
            state: self.al.state,
        };
        let written = write(request, &mut reply, &mut self.mailbox, &mut dictionary);
        let kind = match written {
            Ok(()) => kind,
            Err(detail) => {
                reply.clear();
                reply.put(&1_u16.to_le_bytes());
                reply.put(&detail.to_le_bytes());
                ERROR
            }
        };
        if reply.length == 0 {
            return;
        }
        self.mailbox.said = self.mailbox.said % 7 + 1;
        put(head, 0, &(reply.length as u16).to_le_bytes());
        put(head, 2, &[0, 0, 0, kind | self.mailbox.said << 4]);
        self.set_mailbox_full(SyncManagerKind::MailboxIn, true);
    }

    /// The repeat request of a SyncManager may have been toggled: the last reply is there again.
    pub(crate) fn repeat_mailbox(&mut self) {
        let Some(number) = self.model.sync_manager(SyncManagerKind::MailboxIn) else {
            return;
        };
        let at = SYNC_MANAGER + number * SYNC_MANAGER_LENGTH;
        let asked = self.memory.byte(at + 6) & 2 != 0;
        if core::mem::replace(&mut self.mailbox.repeat, asked) == asked {
            return;
        }
        let acknowledge = self.memory.byte(at + 7) & !2 | u8::from(asked) << 1;
        self.memory.set(at + 7, acknowledge);
        if self.mailbox.said != 0 {
            self.set_mailbox_full(SyncManagerKind::MailboxIn, true);
        }
    }

    fn mailbox_area(&self, kind: SyncManagerKind) -> Option<(Range<usize>, bool)> {
        let number = self.model.sync_manager(kind)?;
        let area = self.channels.mailbox(number)?;
        (area.0.len() > HEADER).then_some(area)
    }

    fn set_mailbox_full(&mut self, kind: SyncManagerKind, is_full: bool) {
        if let Some(number) = self.model.sync_manager(kind) {
            self.channels.set_full(number, is_full, &mut self.memory);
        }
    }
}
