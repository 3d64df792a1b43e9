import { FREE, NAMERS } from './binding.ts'
import type { Candidate } from './candidates.ts'
import { firstAfter } from './context.ts'
import type { MailReader, ReadLine } from './mail-reader.ts'
import { labelLineOf } from './neighbours.ts'
import { clauseEnd, clauseStart } from './sentences.ts'
import type { Surroundings } from './surroundings.ts'
import { BIT, bitsOf } from './words/concepts.ts'

/** Where words stand, seen from a number. */
export const RELATIONS = [
  'directly before it',
  'directly after it',
  'before it in its sentence',
  'after it in its sentence',
  'in the sentence before',
  'in the sentence after',
  'in the line above it alone',
  'two or three lines above it alone',
  'in the line below it alone',
  'in the line above its line',
  'in the line below its line',
  'in the label of its cell',
  'in the subject',
  'in the mail',
] as const

/** A place where a value stands. */
interface Place {
  readonly candidate: Candidate
  readonly line: ReadLine
  readonly around: Surroundings
}

/** Characters of the sentences before and after that are read. */
const SENTENCE_CHARS_MAX = 120

/** Meanings of words by relation: of all places of a value together. */
export function relationsOf(
  mail: MailReader,
  places: readonly Place[],
  whole: { readonly subject: number; readonly body: number },
): Int32Array {
  const found = new Int32Array(RELATIONS.length)
  for (const place of places) addPlace(mail, place, found)
  found[12] = whole.subject
  found[13] = whole.body
  return found
}

function addPlace(mail: MailReader, { candidate, line, around }: Place, found: Int32Array): void {
  const add = (relation: number, concepts: number): void => {
    found[relation] = (found[relation] ?? 0) | concepts
  }
  add(0, around.before.concepts)
  add(1, around.after.concepts)
  add(2, around.sentenceBefore & ~around.before.concepts)
  add(3, around.sentenceAfter & ~around.after.concepts)
  const start = clauseStart(line.text, candidate.start)
  const end = clauseEnd(line.text, candidate.end)
  add(4, conceptsIn(line, start - SENTENCE_CHARS_MAX, start))
  add(5, conceptsIn(line, end, end + SENTENCE_CHARS_MAX))
  const beside = (lines: number): number => {
    const other = mail.line(candidate.line + lines)
    return other === undefined || other.source !== line.source ? 0 : freeConcepts(other)
  }
  if (!candidate.standsAlone) {
    add(9, beside(-1))
    add(10, beside(1))
    return
  }
  const label = labelLineOf(mail, candidate.line)
  if (label === null) {
    add(6, beside(-1))
    add(7, beside(-2) | beside(-3))
  } else add(11, freeConcepts(label))
  add(8, beside(1))
}

/** What a line that asks to keep a code secret does not speak of: `not even to our couriers`. */
const NOT_MEANT = bitsOf('promo', 'place', 'meeting')

/** The meanings of a line, without the names of numbers in it. */
export function freeConcepts(line: ReadLine): number {
  const concepts = conceptsIn(line, 0, line.text.length)
  return (concepts & BIT.keep) === 0 ? concepts : concepts & ~NOT_MEANT
}

function conceptsIn({ hits, owners }: ReadLine, start: number, end: number): number {
  let concepts = 0
  for (let at = firstAfter(hits, start); at < hits.length; at += 1) {
    const hit = hits[at]
    if (hit === undefined || hit.start >= end) break
    if (hit.end > end) continue
    concepts |= owners[at] === FREE ? hit.concepts : hit.concepts & ~NAMERS
  }
  return concepts
}
