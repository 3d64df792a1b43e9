import type { Candidate } from './candidates.ts'
import { bitsOf } from './concepts.ts'
import { LARGE_PX, styleAt } from './lines.ts'
import type { Shape } from './placed-value.ts'
import type { MailText } from './words.ts'

/** A value that could be the code, with its places. */
export interface Value {
  readonly value: string
  readonly shape: Shape
  readonly groups: number
  readonly hasPrefix: boolean
  readonly places: readonly Candidate[]
  readonly standsAlone: boolean
  /** Its index among the values of the mail, and whether it is the first of its shape. */
  readonly index: number
  readonly isFirst: boolean
  /** Other values: of the same shape and length, of the same shape, all, alone in a line. */
  readonly alike: number
  readonly sameShape: number
  readonly others: number
  readonly othersAlone: number
  /** Whether it is part of another value, has another as its part, or is at the same place. */
  readonly nesting: number
}

/** Values that are compared: the first pass keeps these. */
const VALUES_MAX = 8

/** The values that could be the code, in the order of the mail; the likeliest if there are many. */
export function valuesOf(
  mail: MailText,
  candidates: readonly Candidate[],
  accepts: (value: string) => boolean,
): readonly Value[] {
  const nestings = nestingsOf(candidates)
  const byValue = Map.groupBy(candidates, ({ value }) => value)
  const found = Array.from(byValue.values(), (places) => {
    // groupBy makes no empty groups.
    const { value, shape, groups, hasPrefix } = places[0] as Candidate
    const standsAlone = places.some((place) => place.standsAlone)
    return { value, shape, groups, hasPrefix, places, standsAlone }
  })
  const values = found.map((one, index): Value => {
    const sameShape = found.filter(({ shape }) => shape === one.shape)
    const others = found.length - 1
    return {
      ...{ ...one, index, others, isFirst: sameShape[0] === one, sameShape: sameShape.length - 1 },
      alike: sameShape.filter(({ value }) => value.length === one.value.length).length - 1,
      othersAlone: found.filter((other) => other.standsAlone && other !== one).length,
      nesting: nestings.get(one.value) ?? 0,
    }
  })
  const accepted = values.filter(({ value }) => accepts(value))
  return accepted.length <= VALUES_MAX ? accepted : likeliest(mail, accepted)
}

const NESTING = { part: 1, whole: 2, same: 4 } as const

/** How values lie in each other: `55 20` in `HJ 55 20`. */
function nestingsOf(candidates: readonly Candidate[]): ReadonlyMap<string, number> {
  const nestings = new Map<string, number>()
  const add = (value: string, nesting: number): void => {
    nestings.set(value, (nestings.get(value) ?? 0) | nesting)
  }
  for (const [at, one] of candidates.entries()) {
    for (let next = at + 1; next < candidates.length; next += 1) {
      const other = candidates[next]
      // In the order of lines and places.
      if (other === undefined || other.line !== one.line || other.start >= one.end) break
      const isSame = one.start === other.start && one.end === other.end
      const isPart = !isSame && one.start === other.start && one.end < other.end
      add(one.value, isSame ? NESTING.same : isPart ? NESTING.part : NESTING.whole)
      add(other.value, isSame ? NESTING.same : isPart ? NESTING.whole : NESTING.part)
    }
  }
  return nestings
}

function likeliest(mail: MailText, values: readonly Value[]): readonly Value[] {
  return values
    .map((value) => ({ value, points: pointsOf(mail, value) }))
    .sort((one, other) => other.points - one.points)
    .slice(0, VALUES_MAX)
    .map(({ value }) => value)
    .sort((one, other) => one.index - other.index)
}

const CODES = bitsOf('code', 'compound', 'otp', 'pin', 'password')

/** A first guess, cheap enough for each number of a table. */
function pointsOf(mail: MailText, { value, shape, places, standsAlone, alike }: Value): number {
  let points = standsAlone ? 3 : 0
  if (shape === 'words' || shape === 'letters') points -= 1
  if (value.length === 6) points += 2
  else if (value.length < 9 && /\d/.test(value)) points += 1
  if (alike > 3) points -= 1
  let best = 0
  for (const place of places) {
    const line = mail.lines[place.line]
    if (line === undefined || line.source === 'hidden') continue
    const own = hasCode(mail, place.line) ? 4 : 0
    const above = standsAlone && hasCode(mail, place.line - 1) ? 3 : 0
    const style = styleAt(line, place.start)
    const isSetOff = style !== null && (style.style.isBold || style.style.fontSizePx >= LARGE_PX)
    best = Math.max(best, own, above) + (isSetOff ? 2 : 0) + (line.source === 'subject' ? 2 : 0)
  }
  return points + best
}

function hasCode(mail: MailText, line: number): boolean {
  return mail.line(line).hits.some(({ concepts }) => (concepts & CODES) !== 0)
}
