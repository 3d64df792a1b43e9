// What accepted mails are kept in until they are stored, and what stores them: spools.ts for files
// beside an SQLite database, shared-spool.ts for a table of PostgreSQL.

import type { BatchOptions, StoreOutcome } from '../features/receiving/commit.ts'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import type { LaterBounds } from './gathering.ts'
import type { MailToStore } from './storing.ts'
import type { BatchBounds } from './storing-queue.ts'

/** A mail with its number in the spool. */
export type NumberedMail = ArrivedMail & { readonly spoolSequence: number }

/** Where accepted mails are until they are stored. */
export type MailSpool = {
  /** What was there when it was opened, in order. */
  readonly left: readonly NumberedMail[]
  readonly isWritable: boolean
  /** Whether a mail is taken from the spool when it is stored, so that it must be there before. */
  readonly isTakenFrom: boolean
  /** Whether the spool can have a mail. */
  mayHave(mail: ArrivedMail): boolean
  /** Resolves when the mails are on the disk. */
  write(mails: readonly NumberedMail[]): Promise<void>
  /** All mails up to this number are stored, and on the disk. */
  release(to: number): void
  close(isEmpty: boolean): void
}

/** Stores mails. */
export type MailStoring = {
  /** One outcome a mail; of one whose inbox is locked a promise, which others do not wait for. */
  store(
    batch: readonly MailToStore[],
    options: BatchOptions,
  ): Promise<readonly (StoreOutcome | Promise<StoreOutcome>)[]>
  /** Resolves when everything that was stored is on the disk. */
  sync(): Promise<void>
}

/** How much is stored together, how much of one inbox may wait, and when mails are stored later. */
export type SpoolBounds = BatchBounds & LaterBounds & { readonly mailsOfInbox: number }
