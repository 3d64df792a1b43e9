import type { Candidate } from './candidates.ts'
import { firstAfter } from './context.ts'
import type { Line, StyledStretch } from './lines.ts'

/** Facts by the form of a candidate. */
export function formFacts(candidate: Candidate): readonly string[] {
  const { shape, value, groups, prefix } = candidate
  const facts: string[] = [SHAPES[shape], LENGTHS[value.length] ?? 'a few words']
  if (groups > 1) facts.push('written in groups')
  if (prefix !== '') facts.push('with a prefix')
  if (/[a-z]/.test(value)) facts.push('with small letters')
  if (shape === 'digits') {
    if (value.length === 6) facts.push('six digits')
    else if (value.length > 8) facts.push('many digits')
  } else if (shape === 'mixed') {
    if (isShuffled(value)) facts.push('letters and digits mixed')
  } else if (shape === 'letters' && groups === 1) {
    facts.push(readsLikeWord(value) ? 'reads like a word' : 'letters alone')
  }
  return facts
}

const SHAPES = {
  digits: 'made of digits',
  mixed: 'made of letters and digits',
  letters: 'made of letters',
  words: 'words',
} as const

const LENGTHS = Array.from({ length: 11 }, (_, length) => `${length} characters`)

/** One random letter in five is a vowel; few words have so few, and no long ones. */
function readsLikeWord(value: string): boolean {
  const vowels = value.replaceAll(/[^aeiouy]/gi, '').length
  return value.length < 5 || vowels * 4 > value.length
}

/** Letters and digits alternate at least twice, as in random text but not in names. */
function isShuffled(value: string): boolean {
  return /[A-Z]\d+[A-Z]|\d[A-Z]+\d/i.test(value)
}

/** Text from this size on is set off. */
export const LARGE_PX = 20
const SPACED_PX = 1.5

/** The style at a position of a line; null if it has none. */
export function styleAt({ stretches }: Line, at: number): StyledStretch | null {
  return stretches[firstAfter(stretches, at + 1) - 1] ?? null
}

/** Facts by the style of a candidate. */
export function styleFacts(candidate: Candidate, line: Line): readonly string[] {
  const facts: string[] = []
  if (line.isJoined) facts.push('one cell or line for each character')
  if (candidate.standsAlone) facts.push('stands alone')
  const style = styleAt(line, candidate.start)?.style
  if (style === undefined) return facts
  if (style.fontSizePx >= LARGE_PX) facts.push('large')
  if (style.letterSpacingPx >= SPACED_PX) facts.push('letters spaced')
  if (style.isBold) facts.push('bold')
  if (style.isMonospace) facts.push('monospaced')
  if (candidate.standsAlone && (style.isCentred || line.isCentred)) facts.push('centred')
  return facts
}
