import type { Candidate } from './candidates.ts'
import { firstAfter } from './context.ts'
import type { Line, StyledStretch } from './lines.ts'

/** One reason for or against a candidate, with its weight. */
export interface Finding {
  readonly reason: string
  /** Above zero for, below zero against. */
  readonly points: number
}

/** The total weight. */
export function weigh(findings: readonly Finding[]): number {
  return findings.reduce((sum, { points }) => sum + points, 0)
}

/** Findings by the form of a candidate. */
export function formFindings({ shape, value, groups }: Candidate): readonly Finding[] {
  if (shape === 'digits') return formOfDigits(value)
  if (shape === 'words') return [{ reason: 'words', points: -0.5 }]
  if (shape === 'mixed') {
    return isShuffled(value) ? [{ reason: 'letters and digits mixed', points: 0.4 }] : []
  }
  if (groups > 1) return []
  return [readsLikeWord(value) ? LIKE_WORD : LETTERS_ALONE]
}

const LIKE_WORD: Finding = { reason: 'reads like a word', points: -3 }
const LETTERS_ALONE: Finding = { reason: 'letters alone', points: -0.4 }

/** One random letter in five is a vowel; few words have so few, and no long ones. */
function readsLikeWord(value: string): boolean {
  const vowels = value.replaceAll(/[^aeiouy]/gi, '').length
  return value.length < 5 || vowels * 4 > value.length
}

function formOfDigits(value: string): readonly Finding[] {
  if (value.length === 6) return [{ reason: 'six digits', points: 0.3 }]
  return value.length > 8 ? [{ reason: 'many digits', points: -1 }] : []
}

/** Letters and digits alternate at least twice, as in random text but not in names. */
function isShuffled(value: string): boolean {
  return /[A-Z]\d+[A-Z]|\d[A-Z]+\d/i.test(value)
}

const LARGE_PX = 20
const SPACED_PX = 1.5

/** The style at a position of a line; null if it has none. */
export function styleAt({ stretches }: Line, at: number): StyledStretch | null {
  return stretches[firstAfter(stretches, at + 1) - 1] ?? null
}

/** Findings by the style of a candidate. */
export function styleFindings(candidate: Candidate, line: Line): readonly Finding[] {
  const found: Finding[] = []
  const add = (reason: string, points: number): void => {
    found.push({ reason, points })
  }
  if (line.isJoined) add('one cell or line for each character', 1.2)
  if (candidate.standsAlone) add('stands alone', 1.2)
  const style = styleAt(line, candidate.start)?.style
  if (style === undefined) return found
  if (style.fontSizePx >= LARGE_PX) add('large', 0.7)
  if (style.letterSpacingPx >= SPACED_PX) add('letters spaced', 0.5)
  if (style.isBold) add('bold', 0.3)
  if (style.isMonospace) add('monospaced', 0.4)
  if (candidate.standsAlone && (style.isCentred || line.isCentred)) add('centred', 0.3)
  return found
}
