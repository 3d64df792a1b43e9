// The names under which PostgreSQL keeps hand-written statements that are used again and again, for
// each connection: it then parses and plans them once. They name every column that they read: the
// result of a prepared `select *` must not change, which a migration would do.

/** Uses after which a statement gets a name: some are made up for a number of rows. */
const USES_MIN = 5

/** Names given, and texts counted. Each name takes memory of PostgreSQL for each connection. */
const NAMES_MAX = 100
const COUNTED_MAX = 1_000

const names = new Map<string, string>()
const uses = new Map<string, number>()

/** Counts a use of a statement, which may get a name by it. */
export function countUse(sql: string): void {
  if (names.has(sql) || names.size >= NAMES_MAX) return
  const count = (uses.get(sql) ?? 0) + 1
  if (count >= USES_MIN) {
    names.set(sql, `mayfly_${names.size + 1}`)
    uses.delete(sql)
    return
  }
  if (uses.size >= COUNTED_MAX) uses.clear()
  uses.set(sql, count)
}

/** The name of a statement; undefined for one that is not prepared. */
export function preparedName(sql: string): string | undefined {
  return names.get(sql)
}
