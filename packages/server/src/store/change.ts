const CHANGE = /\b(?:insert into|update|delete from)\b/i

/** Whether a statement changes rows; outside of a transaction it commits itself. */
export function changesRows(sql: string): boolean {
  return CHANGE.test(sql)
}
