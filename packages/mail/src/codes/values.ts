import type { Candidate } from './candidates.ts'
import { styleFacts } from './findings.ts'
import type { MailReader, ReadLine } from './mail-reader.ts'
import type { Meaning } from './meaning.ts'
import { type Surroundings, surroundingsOf } from './surroundings.ts'
import { TRAPS } from './traps.ts'
import { BIT } from './words/concepts.ts'

/** This many values of one form that each stand alone are a list. */
const LIST_MIN = 3

/** Points of a name that clearly says that a value is the code. */
export const NAMED = 3

/** Points of a name that clearly says that a value is something else. */
export const NAMED_OTHERWISE = -4

/** A trap outweighs a better name in the choice of the place that counts. */
const TRAP_POINTS = 3

/** One place of a value that could be the code. */
export interface Occurrence {
  readonly candidate: Candidate
  readonly line: ReadLine
  readonly around: Surroundings
  readonly traps: readonly string[]
  readonly style: readonly string[]
}

/** The places of one value, without hidden ones if any is visible. */
export interface Shown {
  readonly value: string
  readonly found: readonly Occurrence[]
  readonly shown: readonly Occurrence[]
  readonly main: Occurrence
}

/** The values that could be the code, each with its places. */
export function valuesOf(mail: MailReader, candidates: readonly Candidate[]): readonly Shown[] {
  const byValue = new Map<string, Occurrence[]>()
  for (const candidate of candidates) {
    const occurrence = occurrenceOf(mail, candidate)
    if (occurrence === null) continue
    const others = byValue.get(candidate.value)
    if (others === undefined) byValue.set(candidate.value, [occurrence])
    else others.push(occurrence)
  }
  return Array.from(byValue, ([value, found]) => {
    const visible = found.filter(isVisible)
    const shown = visible.length > 0 ? visible : found
    const main = shown.reduce((best, one) => (clarity(one) > clarity(best) ? one : best))
    return { value, found, shown, main }
  })
}

function clarity({ around, traps }: Occurrence): number {
  return around.meaning.points - traps.length * TRAP_POINTS
}

function occurrenceOf(mail: MailReader, candidate: Candidate): Occurrence | null {
  const line = mail.line(candidate.line)
  if (line === undefined) return null
  const isWord = candidate.shape === 'letters' || candidate.shape === 'words'
  if (isWord && isKnown(line, candidate)) return null
  const around = surroundingsOf(mail, candidate)
  const place = { candidate, line, around }
  const traps = TRAPS.filter((trap) => trap.matches(place)).map(({ reason }) => reason)
  if (isSpelt(candidate) && !isLabelled(around.meaning)) traps.push(UNLABELLED)
  return { ...place, traps, style: styleFacts(candidate, line) }
}

const UNLABELLED = 'a word that nothing beside it calls a code'

/** More than a third of it is in the word tables: a button or a heading. */
function isKnown({ hits }: ReadLine, { start, end }: Candidate): boolean {
  let known = 0
  for (const hit of hits) {
    known += Math.max(0, Math.min(hit.end, end) - Math.max(hit.start, start))
  }
  return known * 3 > end - start
}

/** Made of letters as words are; `KXQ-TRM` is not. */
function isSpelt({ shape, groups }: Candidate): boolean {
  return shape === 'words' || (shape === 'letters' && groups === 1)
}

/** A word is a code only directly after or below a label that means a code for signing in. */
function isLabelled({ points, isFar, isBare }: Meaning): boolean {
  return points >= NAMED && isFar !== true && isBare !== true
}

/** Whether a reader of the mail sees this place. */
export function isVisible({ line }: Occurrence): boolean {
  return line.source !== 'hidden' && line.source !== 'preheader'
}

/** Whether nothing says that a value is something else. */
export function isOpen({ main }: Shown): boolean {
  return main.around.meaning.points > NAMED_OTHERWISE && main.traps.length === 0
}

/** Whether a value stands alone in a line. */
export function isAlone({ shown }: Shown): boolean {
  return shown.some(({ candidate }) => candidate.standsAlone)
}

/** Whether a value is a number, at least in part. */
export function hasDigit(value: string): boolean {
  return /\d/.test(value)
}

/** Values in a list of similar values: recovery codes, winning numbers. */
export function listedValues(values: readonly Shown[]): ReadonlySet<string> {
  const byForm = new Map<string, string[]>()
  for (const { value, found } of values) {
    const first = found[0]
    if (first === undefined || !first.candidate.standsAlone) continue
    if (first.around.meaning.points <= 0) continue
    const form = `${first.candidate.shape} ${value.length} ${first.candidate.groups}`
    const alike = byForm.get(form)
    if (alike === undefined) byForm.set(form, [value])
    else alike.push(value)
  }
  const lists = Array.from(byForm.values()).filter((alike) => alike.length >= LIST_MIN)
  return new Set(lists.flat())
}

/** A value with a digit that the mail asks to enter, or calls a code. */
export function isNumberAsked({ value, main }: Shown): boolean {
  return hasDigit(value) && main.around.meaning.points > 0
}

/** An earlier code that no longer works. */
export function isDead({ main }: Shown): boolean {
  return (main.around.sentence & BIT.dead) !== 0
}

/** The points of the best name of another value; a hidden one is no rival of a visible one. */
export function bestOther(values: readonly Shown[], own: Shown): number {
  const isSeen = own.shown.some(isVisible)
  let best = 0
  for (const other of values) {
    if (other === own || (isSeen && !other.shown.some(isVisible)) || isDead(other)) continue
    best = Math.max(best, other.main.around.meaning.points)
  }
  return best
}
