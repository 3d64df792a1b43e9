import { CODE_LIKE, FREE, NAMERS, NOUNS, type PlacedValue } from './binding.ts'
import { isChained, isPhrase } from './chained-words.ts'
import { KIND, kindAt } from './fold.ts'
import type { ReadLine } from './mail-reader.ts'
import { clauseEnd, clauseStart } from './sentences.ts'
import { BIT, bitsOf } from './words/concepts.ts'

/** The words that seem to say what a number is. */
export interface Label {
  /** Meanings of the nearest group of words. */
  readonly concepts: number
  /** Meanings in the whole sentence. */
  readonly clause: number
  /** Characters between the words and the number. */
  readonly gap: number
  /** The nearest group of words as written. */
  readonly words: string
}

/** The labels on both sides of a number. */
export interface Labels {
  readonly before: Label
  readonly after: Label
}

/** No words. */
export const NO_LABEL: Label = { concepts: 0, clause: 0, gap: 0, words: '' }

/** Meanings that say nothing about what a number is. */
const SILENT = bitsOf('valid', 'keep', 'time')

/** The label of a number in its sentence; of the names, only those that name this number. */
export function labelsOf(line: ReadLine, { start, end }: PlacedValue): Labels {
  return { before: labelBefore(line, start, start), after: labelAfter(line, end, start) }
}

/** The label that the sentence up to a position has for another line. */
export function labelOfEnd(line: ReadLine, end: number): Label {
  return labelBefore(line, end, FREE)
}

/** The label that the beginning of a line has for another line. */
export function labelOfStart(line: ReadLine): Label {
  return labelAfter(line, 0, FREE)
}

/** `the code on the page`: where a code is entered does not say what it is. */
const AT =
  /^\s(?:in|into|on|at|im|ins|auf|am|en|dans|sur|em|na|no|nel|nella|sul|sulla|op|på|i|w|v|ve|do|u|в|во|на|у|στη|στην|στο)(?:\s\p{L}{1,5})?\s$/iu

function labelBefore(line: ReadLine, start: number, named: number): Label {
  const { text, hits } = line
  const from = clauseStart(text, start)
  let label = 0
  let clause = 0
  let gap = -1
  let chainStart = start
  for (let at = firstAfter(hits, start) - 1; at >= 0; at -= 1) {
    const hit = hits[at]
    if (hit === undefined || hit.end > start) continue
    if (hit.start < from) break
    const concepts = conceptsFor(line, at, named)
    clause |= concepts
    if (gap < 0 && (concepts & ~SILENT) !== 0) {
      gap = start - hit.end
      label = concepts
      chainStart = hit.start
    } else if (gap >= 0 && isChained(text, hit.end, chainStart)) {
      if ((concepts & NOUNS) !== 0 && isPhrase(text, hit.end, chainStart)) continue
      const isThing = (label & NAMERS) === BIT.thing && (concepts & CODE_LIKE) !== 0
      if (isThing && AT.test(text.slice(hit.end, chainStart))) label &= ~BIT.thing
      label |= concepts
      chainStart = hit.start
    }
  }
  if (gap < 0) return { ...NO_LABEL, clause }
  return { concepts: label, clause, gap, words: text.slice(chainStart, start - gap) }
}

function labelAfter(line: ReadLine, end: number, named: number): Label {
  const { text, hits } = line
  const to = clauseEnd(text, end)
  let label = 0
  let clause = 0
  let gap = -1
  let chainEnd = end
  for (let at = firstAfter(hits, end); at < hits.length; at += 1) {
    const hit = hits[at]
    if (hit === undefined || hit.end > to) break
    if (gap < 0 && hasDigit(text, end, hit.start)) break
    const concepts = conceptsFor(line, at, named)
    clause |= concepts
    if (gap < 0 && (concepts & ~SILENT) !== 0) {
      gap = hit.start - end
      label = concepts
      chainEnd = hit.end
    } else if (gap >= 0 && isChained(text, chainEnd, hit.start)) {
      label |= concepts
      chainEnd = hit.end
    }
  }
  if (gap < 0) return { ...NO_LABEL, clause }
  return { concepts: label, clause, gap, words: text.slice(end + gap, chainEnd) }
}

/** The meanings of a word for a number: those of a name of something else do not count. */
function conceptsFor({ hits, owners }: ReadLine, at: number, named: number): number {
  const concepts = hits[at]?.concepts ?? 0
  const owner = owners[at]
  if (owner === named) return concepts
  return concepts & (owner === FREE ? ~NAMERS : ~(NAMERS | BIT.enter))
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if (kindAt(text, at) === KIND.digit) return true
  }
  return false
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
