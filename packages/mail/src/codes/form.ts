import type { Candidate } from './candidates.ts'
import type { Finding } from './finding.ts'

/** What the form of a candidate says for and against it. */
export function formOf({ shape, value, groups }: Candidate): readonly Finding[] {
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

/** Letters by chance have one vowel in five; few words have so few, and none of them are long. */
function readsLikeWord(value: string): boolean {
  const vowels = value.replaceAll(/[^aeiouy]/gi, '').length
  return value.length < 5 || vowels * 4 > value.length
}

function formOfDigits(value: string): readonly Finding[] {
  if (value.length === 6) return [{ reason: 'six digits', points: 0.3 }]
  return value.length > 8 ? [{ reason: 'many digits', points: -1 }] : []
}

/** Letters and digits change places twice at least, as they do by chance and not in names. */
function isShuffled(value: string): boolean {
  return /[A-Z]\d+[A-Z]|\d[A-Z]+\d/i.test(value)
}
