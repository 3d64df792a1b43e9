import type { ColumnTypes } from '../dialect.ts'

/** The mails of a day of purge have tables of their own, which are dropped together. */
export const mailPartitions = (t: ColumnTypes): readonly string[] => t.mailPartitions
