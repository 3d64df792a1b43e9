const DAY_MS = 24 * 60 * 60 * 1000

/** `2026-01-31`: the UTC day of an instant. */
export const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The first UTC day of the month of an instant. */
export const firstOfMonth = (ms: number): string => `${utcDay(ms).slice(0, 8)}01`

/** When the next UTC month begins, in milliseconds. */
export function nextMonthStart(ms: number): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

/** When the next UTC day begins, in milliseconds. */
export const nextDayStart = (ms: number): number => (Math.floor(ms / DAY_MS) + 1) * DAY_MS

/** The last `count` UTC days, ending with that of an instant, oldest first. */
export function lastDays(ms: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => utcDay(ms - (count - 1 - i) * DAY_MS))
}
