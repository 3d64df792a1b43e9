/** Result codes of SQLite (sqlite3.h). */
export const SQLITE = { BUSY: 5, READONLY: 8, CANTOPEN: 14, NOTADB: 26 } as const

/** The primary result code of an error of SQLite, or null for another error. */
export function resultCode(error: unknown): number | null {
  const isOfSqlite = error instanceof Error && 'errcode' in error
  return isOfSqlite && typeof error.errcode === 'number' ? error.errcode & 0xff : null
}
