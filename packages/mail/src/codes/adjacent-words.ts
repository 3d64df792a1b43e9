import { CODE_LIKE, NOUNS, type PlacedWord } from './binding.ts'
import type { Candidate } from './candidates.ts'
import { firstAfter } from './context.ts'
import { KIND, kindAt } from './fold.ts'
import type { ReadLine } from './mail-reader.ts'
import { clauseStart, isStop } from './sentences.ts'
import { BIT, bitsOf } from './words/concepts.ts'

/** Spaces and punctuation between a number and the words beside it. */
const GAP_CHARS_MAX = 3

/** Letters of a word that the tables could have: shorter ones are articles and particles. */
const WORD_CHARS_MIN = 3

const SIGNS = '.!?;,。、，–—'

const NAMES = NOUNS | bitsOf('promo', 'place', 'meeting', 'ending')

/** Facts by the words directly before and after a number, also by unknown ones. */
export function adjacentFacts(line: ReadLine, { start, end }: Candidate): readonly string[] {
  const facts = [BEFORE[kindBefore(line, start)], AFTER[kindAfter(line, end)]]
  if (isInBrackets(line.text, start, end)) facts.push('in brackets')
  if (isAfterColon(line.text, start)) facts.push('after a colon')
  return facts
}

type Neighbour = keyof typeof BEFORE

const BEFORE = {
  nothing: 'behind nothing',
  sign: 'behind punctuation',
  number: 'behind a number',
  short: 'behind a short word',
  unknown: 'behind an unknown word',
  code: 'behind a word for code',
  verb: 'behind a verb of entering',
  noun: 'behind a noun that names numbers',
  digits: 'behind a word for number',
  other: 'behind another known word',
} as const

const AFTER: Readonly<Record<Neighbour, string>> = {
  nothing: 'before nothing',
  sign: 'before punctuation',
  number: 'before a number',
  short: 'before a short word',
  unknown: 'before an unknown word',
  code: 'before a word for code',
  verb: 'before a verb of entering',
  noun: 'before a noun that names numbers',
  digits: 'before a word for number',
  other: 'before another known word',
}

function kindBefore({ text, hits, owners }: ReadLine, start: number): Neighbour {
  let at = start
  let hasSign = false
  while (at > 0 && start - at <= GAP_CHARS_MAX && !isReadable(text, at - 1)) {
    at -= 1
    if (isStop(text, at)) return 'nothing'
    hasSign ||= SIGNS.includes(text.charAt(at))
  }
  if (at === 0 || start - at > GAP_CHARS_MAX) return 'nothing'
  if (hasSign) return 'sign'
  if (kindAt(text, at - 1) === KIND.digit) return 'number'
  const index = firstAfter(hits, at) - 1
  const hit = hits[index]
  if (hit !== undefined && hit.end >= at) {
    // `type the PIN into your terminal: 4821`: a thing that does not name the number.
    const isThing = (hit.concepts & (CODE_LIKE | NAMES)) === BIT.thing
    return isThing && owners[index] !== start ? 'other' : kindOf(hit)
  }
  return isLong(text, at - WORD_CHARS_MIN) ? 'unknown' : 'short'
}

function kindAfter({ text, hits }: ReadLine, end: number): Neighbour {
  let at = end
  let hasSign = false
  while (at < text.length && at - end <= GAP_CHARS_MAX && !isReadable(text, at)) {
    // The next sentence is about something else.
    if (isStop(text, at)) return 'nothing'
    hasSign ||= SIGNS.includes(text.charAt(at)) || text.charAt(at) === ')'
    at += 1
  }
  if (at >= text.length || at - end > GAP_CHARS_MAX) return 'nothing'
  if (hasSign) return 'sign'
  if (kindAt(text, at) === KIND.digit) return 'number'
  const hit = hits[firstAfter(hits, at + 1) - 1]
  if (hit !== undefined && hit.end > at) return kindOf(hit)
  return isLong(text, at) ? 'unknown' : 'short'
}

function kindOf({ concepts }: PlacedWord): Neighbour {
  if ((concepts & CODE_LIKE) !== 0) return 'code'
  if ((concepts & BIT.enter) !== 0) return 'verb'
  if ((concepts & NAMES) !== 0) return 'noun'
  return (concepts & BIT.number) !== 0 ? 'digits' : 'other'
}

function isReadable(text: string, at: number): boolean {
  const kind = kindAt(text, at)
  return kind !== KIND.other && kind !== KIND.space && kind !== KIND.nothing
}

/** Whether so many letters begin here. */
function isLong(text: string, start: number): boolean {
  for (let at = start; at < start + WORD_CHARS_MIN; at += 1) {
    const kind = kindAt(text, at)
    if (kind !== KIND.letter && kind !== KIND.joined && kind !== KIND.prefixing) return false
  }
  return start >= 0
}

/** `(ID 482913)`; brackets around the first number of a sentence are emphasis. */
function isInBrackets(text: string, start: number, end: number): boolean {
  if (start - clauseStart(text, start) <= GAP_CHARS_MAX) return false
  return '(（'.includes(signBefore(text, start)) || ')）'.includes(text.charAt(end) || ' ')
}

function isAfterColon(text: string, start: number): boolean {
  return ':：'.includes(signBefore(text, start))
}

/** The character before a position, ignoring spaces; a space if there is none. */
function signBefore(text: string, start: number): string {
  let at = start - 1
  while (at >= start - GAP_CHARS_MAX && kindAt(text, at) === KIND.space) at -= 1
  return text.charAt(at) || ' '
}
