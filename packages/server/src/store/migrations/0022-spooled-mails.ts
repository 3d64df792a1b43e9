import type { ColumnTypes } from '../dialect.ts'

/** Mails that a node has accepted and not stored yet, where nodes share the store. */
export const spooledMails = (t: ColumnTypes): readonly string[] => t.spooledMails
