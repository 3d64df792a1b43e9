const MONTHS: readonly string[] = [
  ...['jan', 'feb', 'mar', 'apr', 'may', 'jun'],
  ...['jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
]

/** Zone names of RFC 822 in minutes, without the military letters, which were used wrongly. */
const ZONES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ut: 0,
    gmt: 0,
    utc: 0,
    z: 0,
    est: -300,
    edt: -240,
    cst: -360,
    cdt: -300,
    mst: -420,
    mdt: -360,
    pst: -480,
    pdt: -420,
    cet: 60,
    cest: 120,
    bst: 60,
    jst: 540,
  }),
)

/** `Tue, 3 Mar 2026 10:15:30 +0000`: day, month, year, hour, minute, second, half, zone. */
const DATE = new RegExp(
  [
    /^(?:[a-z]+\.?\s*,?\s*)?/,
    /(\d{1,2})[\s-]+([a-z]{3})[a-z]*\.?[\s-]+(\d{2,4})[\s,]+/,
    /(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:\.\d+)?)?(?:\s*([ap]m))?/,
    /\s*(.*)$/,
  ]
    .map(({ source }) => source)
    .join(''),
  'i',
)

/** `Tue Mar  3 10:15:30 2026`, with an optional zone before the year. */
const ASCTIME = new RegExp(
  [
    /^[a-z]{3,9}\s+([a-z]{3})[a-z]*\s+(\d{1,2})\s+/,
    /(\d{2}):(\d{2})(?::(\d{2}))?\s+(?:([a-z]{1,5}|[+-]\d{4})\s+)?(\d{4})/,
  ]
    .map(({ source }) => source)
    .join(''),
  'i',
)

/** Last year: in any zone it still has four digits, as ISO strings do. */
const YEAR_MAX = 9_998

/** Characters of a Date value that are read. */
const DATE_CHARS_MAX = 200

/**
 * Parses the value of a Date field into an ISO string; null if it is invalid.
 *
 * Accepts RFC 5322 with its obsolete forms, and the formats of C's asctime and of ISO 8601, which
 * some programs send. A missing or unknown zone counts as UTC, as in RFC 5322.
 */
export function parseMailDate(value: string): string | null {
  const text = value
    .slice(0, DATE_CHARS_MAX)
    .replace(/\([^()]*\)/g, ' ')
    .trim()
  const usual = DATE.exec(text)
  if (usual !== null) {
    const [, day, month, year, hour, minute, second, half, zone] = usual
    return momentOf({ day, month, year, hour, minute, second, half, zone })
  }
  const asctime = ASCTIME.exec(text)
  if (asctime !== null) {
    const [, month, day, hour, minute, second, zone, year] = asctime
    return momentOf({ day, month, year, hour, minute, second, half: undefined, zone })
  }
  return isoMoment(text)
}

type Written = Readonly<
  Record<
    'day' | 'month' | 'year' | 'hour' | 'minute' | 'second' | 'half' | 'zone',
    string | undefined
  >
>

function momentOf(written: Written): string | null {
  const month = MONTHS.indexOf((written.month ?? '').toLowerCase())
  const day = Number(written.day)
  const hour = hourOf(Number(written.hour), written.half)
  const minute = Number(written.minute)
  // JavaScript has no leap seconds.
  const second = Math.min(Number(written.second ?? 0), 59)
  const year = fullYear(written.year ?? '')
  const isDay = day >= 1 && day <= daysOf(month, year)
  if (month < 0 || !isDay || hour > 23 || minute > 59 || year > YEAR_MAX) return null
  const local = Date.UTC(year, month, day, hour, minute, second)
  return new Date(local - zoneMinutes(written.zone ?? '') * 60_000).toISOString()
}

/** Days of a month, counted from 0. */
function daysOf(month: number, year: number): number {
  if (month === 1) return new Date(Date.UTC(year, 2, 0)).getUTCDate()
  return MONTHS_OF_30_DAYS.has(month) ? 30 : 31
}

const MONTHS_OF_30_DAYS: ReadonlySet<number> = new Set([3, 5, 8, 10])

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour
  return (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
}

/** Two digits: 00 to 49 are 2000 to 2049; three: RFC 5322 adds 1900. */
function fullYear(text: string): number {
  const year = Number(text)
  if (text.length === 2) return year < 50 ? 2000 + year : 1900 + year
  return text.length === 3 ? 1900 + year : year
}

function zoneMinutes(text: string): number {
  const offset = /^(?:gmt|utc|ut)?\s*([+-])(\d{2}):?(\d{2})/i.exec(text)
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3])
    if (minutes > 24 * 60) return 0
    return offset[1] === '-' ? -minutes : minutes
  }
  const name = /^[a-z]+/i.exec(text)?.[0] ?? ''
  return ZONES.get(name.toLowerCase()) ?? 0
}

function isoMoment(text: string): string | null {
  const match = /^([0-8]\d{3}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?\s*(.*)$/.exec(text)
  if (match === null) return null
  const utcMs = Date.parse(`${match[1]}T${match[2]}Z`)
  if (Number.isNaN(utcMs)) return null
  return new Date(utcMs - zoneMinutes(match[3] ?? '') * 60_000).toISOString()
}
