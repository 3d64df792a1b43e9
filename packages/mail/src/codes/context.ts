import { foldWord, KIND, KINDS } from './fold.ts'
import type { Hit, ReadLine } from './mail-reader.ts'
import { bitsOf } from './words/concepts.ts'

/** The words that seem to say what a number is. */
export interface Label {
  /** Meanings of the nearest group of words. */
  readonly concepts: number
  /** Meanings in the whole sentence. */
  readonly clause: number
  /** Characters between the words and the number. */
  readonly gap: number
}

/** No words. */
export const NO_LABEL: Label = { concepts: 0, clause: 0, gap: 0 }

/** Distance of a label from its number inside one sentence. */
const REACH_BEFORE = 170
const REACH_AFTER = 90

/** Characters between words of one label: `code de la réservation`. */
const CHAIN_GAP_MAX = 7

/** Meanings that belong to a number directly before or after them. */
const TAKEN_BY_NUMBERS = bitsOf(
  'naming',
  'owner',
  'contact',
  'money',
  'time',
  'tech',
  'ending',
  'number',
)

/** Meanings that say nothing about what a number is. */
const SILENT = bitsOf('valid', 'keep', 'time')

/**
 * Nouns that say what a code is for directly before the word for code, `order code`, but not with
 * another word between: `request for a code`.
 */
const NOUNS = bitsOf('naming', 'owner', 'contact', 'money', 'tech')

/** Punctuation that separates two words. */
const SEPARATING = /[,;:()|!?«»"[\]/•·。，、；：（）！？،؛]/

/** Characters that always end a sentence, and the dot, which may. */
const ENDS = 1
const MAY_END = 2
const STOPS = new Uint8Array(0x10000)
for (const sign of '!?|•;。！？；।॥؟؛۔។။።։\n') STOPS[sign.charCodeAt(0)] = ENDS
STOPS[0x2e] = MAY_END

/** The label before a position in its sentence. */
export function labelBefore({ text, hits }: ReadLine, start: number): Label {
  const from = clauseStart(text, start)
  let label = 0
  let clause = 0
  let gap = -1
  let chainStart = start
  for (let at = firstAfter(hits, start) - 1; at >= 0; at -= 1) {
    const hit = hits[at]
    if (hit === undefined || hit.end > start) continue
    if (hit.start < from) break
    const concepts = free(text, hit, start)
    clause |= concepts
    if (gap < 0 && (concepts & ~SILENT) !== 0) {
      gap = start - hit.end
      label = concepts
      chainStart = hit.start
    } else if (gap >= 0 && isChained(text, hit.end, chainStart)) {
      if ((concepts & NOUNS) !== 0 && isPhrase(text, hit.end, chainStart)) continue
      label |= concepts
      chainStart = hit.start
    }
  }
  return gap < 0 ? { ...NO_LABEL, clause } : { concepts: label, clause, gap }
}

/** The label after a position in its sentence. */
export function labelAfter({ text, hits }: ReadLine, end: number): Label {
  const to = clauseEnd(text, end)
  let label = 0
  let clause = 0
  let gap = -1
  let chainEnd = end
  for (let at = firstAfter(hits, end); at < hits.length; at += 1) {
    const hit = hits[at]
    if (hit === undefined || hit.end > to) break
    if (gap < 0 && hasDigit(text, end, hit.start)) break
    clause |= hit.concepts
    if (gap < 0 && (hit.concepts & ~SILENT) !== 0) {
      gap = hit.start - end
      label = hit.concepts
      chainEnd = hit.end
    } else if (gap >= 0 && isChained(text, chainEnd, hit.start)) {
      label |= hit.concepts
      chainEnd = hit.end
    }
  }
  return gap < 0 ? { ...NO_LABEL, clause } : { concepts: label, clause, gap }
}

/** Index of the first stretch that begins at a position or after it. */
export function firstAfter(
  stretches: readonly { readonly start: number }[],
  place: number,
): number {
  let low = 0
  let high = stretches.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((stretches[middle]?.start ?? 0) < place) low = middle + 1
    else high = middle
  }
  return low
}

/** The meanings of a hit that do not belong to another number. */
function free(text: string, hit: Hit, start: number): number {
  if ((hit.concepts & TAKEN_BY_NUMBERS) === 0) return hit.concepts
  const isTaken = hasDigit(text, hit.end, start) || isDigitBefore(text, hit.start)
  return isTaken ? hit.concepts & ~TAKEN_BY_NUMBERS : hit.concepts
}

function isDigitBefore(text: string, at: number): boolean {
  const near = KINDS[text.charCodeAt(at - 1)]
  if (near === KIND.digit) return true
  return near === KIND.space && KINDS[text.charCodeAt(at - 2)] === KIND.digit
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if (KINDS[text.charCodeAt(at)] === KIND.digit) return true
  }
  return false
}

function isChained(text: string, end: number, start: number): boolean {
  const length = start - end
  if (length <= 0) return true
  return length <= CHAIN_GAP_MAX && !SEPARATING.test(text.slice(end, start))
}

function isPhrase(text: string, end: number, start: number): boolean {
  for (let at = end; at < start; at += 1) {
    const kind = KINDS[text.charCodeAt(at)]
    if (kind === KIND.letter || kind === KIND.prefixing) return true
  }
  return false
}

/** Where the sentence that contains a position begins. */
export function clauseStart(text: string, place: number): number {
  const limit = Math.max(0, place - REACH_BEFORE)
  for (let at = place - 1; at >= limit; at -= 1) {
    if (isStop(text, at)) return at + 1
  }
  return limit
}

function clauseEnd(text: string, place: number): number {
  const limit = Math.min(text.length, place + REACH_AFTER)
  for (let at = place; at < limit; at += 1) {
    if (isStop(text, at)) return at
  }
  return limit
}

/** Abbreviations that precede numbers: their dot does not end a sentence. */
const ABBREVIATIONS = new Set(
  'no nr num ref tel st str dr mr mrs ms art abs ca bzw br ul al pl np av apt ext tlf'.split(' '),
)

/** Whether a sentence ends here. Dots in numbers, initials and abbreviations do not end one. */
function isStop(text: string, at: number): boolean {
  const stop = STOPS[text.charCodeAt(at)]
  if (stop !== MAY_END) return stop === ENDS
  const next = KINDS[text.charCodeAt(at + 1)]
  if (at + 1 < text.length && next !== KIND.space) return false
  let from = at
  while (from > at - 4 && KINDS[text.charCodeAt(from - 1)] === KIND.letter) from -= 1
  const letters = at - from
  if (letters === 1) return false
  if (letters > 3) return true
  return !ABBREVIATIONS.has(foldWord(text.slice(from, at))) && !continues(text.charAt(at + 2))
}

/** No sentence begins with a lower-case letter, and few begin with a digit. */
function continues(sign: string): boolean {
  return sign !== sign.toUpperCase() || KINDS[sign.charCodeAt(0)] === KIND.digit
}
