// The id of a mail begins with the day of its purge, so that PostgreSQL keeps the mails of a day
// together and drops them together (store/postgres/mail-partitions.ts). Ids of older versions begin
// with the time of receipt; they sort before all others.

/** Milliseconds of a day. */
export const DAY_MS = 24 * 60 * 60 * 1000

/** Sorts after all ids without a day, and before all with one. */
export const DATED_FROM = 'eml_d'

/** The day of mails in inboxes that never expire; the highest that fits into an id. */
export const UNENDING_DAY = 99_999

/** The day of a time, counted from 1970, in UTC. */
export function dayOf(ms: number): number {
  return Math.min(Math.floor(ms / DAY_MS), UNENDING_DAY)
}

/** What the ids of all mails of a day begin with; sorts before them. */
export function mailIdStart(day: number): string {
  return `${DATED_FROM}${String(day).padStart(5, '0')}`
}

/** The day of purge in the id of a mail; null when it has none. */
export function purgeDayOf(mailId: string): number | null {
  const [, day] = /^eml_d(\d{5})/.exec(mailId) ?? []
  return day === undefined ? null : Number(day)
}

/** The id that a mail gets when its purge is put off to a later day. */
export function withPurgeDay(mailId: string, day: number): string {
  return mailIdStart(day) + mailId.slice(mailIdStart(day).length)
}
