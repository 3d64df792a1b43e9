// The ids of records that the service creates for itself. They are fixed, so that every start and
// every node finds the same ones.

import type { AccountId, InboxId } from '@mayfly/contract'

/** The operator's own account; it has no key until `mayfly admin` creates one. */
export const OPERATOR_ACCOUNT = 'acc_operator' as AccountId // Branded by hand.

/** The operator's inbox, for mail to postmaster and abuse. */
export const OPERATOR_INBOX = 'inb_operator' as InboxId // As above.

/** The account of a service that listens on a loopback address, for the user of that machine. */
export const LOCAL_ACCOUNT = 'acc_local' as AccountId // As above.

/** The catch-all inbox of the local account for mail without credentials. */
export const CATCH_ALL_INBOX = 'inb_0000000000catcha1100000000' as InboxId // As above.
