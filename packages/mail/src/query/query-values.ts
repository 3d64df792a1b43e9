const KiB = 1024
const UNITS: Readonly<Record<string, number>> = { k: KiB, m: KiB ** 2, g: KiB ** 3 }

const DATE = /^(\d{4})(?:[-/](\d{2})(?:[-/](\d{2}))?)?$/
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(?:Z|([+-]\d{2}):?(\d{2}))?$/i

/**
 * The instant of a year, a month, a date or a date-time, in UTC unless it has an offset; null when
 * it is none.
 */
export function readInstant(text: string): number | null {
  const [, year, month = '01', ofMonth = '01'] = DATE.exec(text) ?? []
  if (year !== undefined) return instantOf(`${year}-${month}-${ofMonth}T00:00:00Z`)
  const [, date, time, hours, minutes] = DATE_TIME.exec(text) ?? []
  if (date === undefined) return null
  return instantOf(`${date}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`)
}

function instantOf(iso: string): number | null {
  const instant = Date.parse(iso)
  return Number.isNaN(instant) ? null : instant
}

/** Bytes of a size such as `500`, `20K`, `1.5MB` or `1 GB`; null when it is none. */
export function readSizeBytes(text: string): number | null {
  const [, digits, unit] = /^(\d{1,12}(?:\.\d{1,3})?)(?: ?([kmg])b?)?$/i.exec(text) ?? []
  if (digits === undefined) return null
  return Number(digits) * (UNITS[unit?.toLowerCase() ?? ''] ?? 1)
}

/** The host of a URL in lower case; null when it has none. */
export function hostOf(url: string): string | null {
  const [, host] = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#:[]+|\[[^\]]*\])/i.exec(url) ?? []
  return host?.toLowerCase() ?? null
}
