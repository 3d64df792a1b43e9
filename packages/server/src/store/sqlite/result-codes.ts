/** Result codes of SQLite (sqlite3.h) for failures of its storage, not of a statement. */
export const SQLITE = {
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
} as const

/** The primary result code of an error of SQLite, without the bits that refine it, or null. */
export function resultCode(error: unknown): number | null {
  const isOfSqlite = error instanceof Error && 'errcode' in error
  return isOfSqlite && typeof error.errcode === 'number' ? error.errcode & 0xff : null
}
