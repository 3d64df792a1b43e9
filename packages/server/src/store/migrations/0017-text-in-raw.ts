import type { ColumnTypes } from '../dialect.ts'

/** Where the text of a mail is in its raw bytes, so that it need not be stored a second time. */
export const textInRaw = (t: ColumnTypes): readonly string[] => [
  `alter table mail add column text_start ${t.integer}`,
  `alter table mail add column text_end ${t.integer}`,
]
