// The id of a mail begins with the day of its purge, so that PostgreSQL keeps the mails of a day
// together and drops them together (store/postgres/mail-partitions.ts).

/** Milliseconds of a day. */
export const DAY_MS = 24 * 60 * 60 * 1000

/** The day of mails in inboxes that never expire; the highest that fits into an id. */
export const UNENDING_DAY = 99_999

/** The day of a time, counted from 1970, in UTC. */
export function dayOf(ms: number): number {
  return Math.min(Math.floor(ms / DAY_MS), UNENDING_DAY)
}

/** The beginning of the ids of all mails of a day; sorts before them. */
export function mailIdStart(day: number): string {
  return `eml_d${String(day).padStart(5, '0')}`
}

/** The id that a mail gets when its purge is put off to a later day. */
export function withPurgeDay(mailId: string, day: number): string {
  return mailIdStart(day) + mailId.slice(mailIdStart(day).length)
}
