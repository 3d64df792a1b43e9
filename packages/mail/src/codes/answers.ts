import type { Shape } from './groups.ts'
import { areRandom } from './random-letters.ts'

/** What a line says as the answer to the line above it. */
export interface Answer {
  readonly value: string
  readonly shape: Shape
  readonly parts: number
}

/** Characters of an answer: a code, or a few words. */
const CHARS_MIN = 4
const CHARS_MAX = 40

/** Quotation marks, brackets, arrows and emphasis around an answer. */
const DECORATION =
  /^[\s"“”„«»‹›「」『』【】()（）[\]{}<>*_~|→►▶▸➜=–—-]+|[\s"“”„«»‹›「」『』【】()（）[\]{}<>*_~|←◄◀=–—.。-]+$/gu

/** One character in asterisks or underscores: `*7* *7* *0*`. */
const EMPHASISED = /([*_])([\p{L}\p{Nd}])\1/gu

/** Small words with a separator, with or without one number: `rype fjell 82`. */
const SMALL_WORDS =
  /^(?!.*\p{Nd}\P{Nd}+\p{Nd})(?:\p{Nd}{1,4}([ .+/_~·-]))?\p{Ll}[\p{Ll}\p{M}]{2,13}(?:[ .+/_~·-](?:\p{Ll}[\p{Ll}\p{M}]{2,13}|\p{Nd}{1,4})){1,5}$/u

/** `OTTER RIVER 19`, `PELARGONIUM`. */
const LOUD_WORDS = /^(?=.{4})\p{Lu}{3,14}(?: (?:\p{Lu}{3,14}|\p{Nd}{1,4})){0,5}$/u

/** A word and a number without a separator, `björk91`; others are found as tokens. */
const WORD_AND_NUMBER = /^(?=.*[^\0-\x7f])[\p{Ll}\p{M}]{3,10}\p{Nd}{1,4}$/u

/** `Amber Lake River`; two such words are a name. */
const TITLE_WORDS =
  /^\p{Lu}[\p{Ll}\p{M}]{2,13}(?: (?:\p{Lu}[\p{Ll}\p{M}]{2,13}|\p{Nd}{1,4})){2,5}$/u

/** Letters of a script without capitals: `春江花月`, `नदी पहाड़ बादल`. */
const UNCASED_WORDS =
  /^\p{Lo}[\p{Lo}\p{M}ー]{1,13}(?:[ ・、，,-]+\p{Lo}[\p{Lo}\p{M}ー]{0,13}){0,5}$/u
const UNCASED_CHARS_MAX = 24

/** How a line leads to the next one: it ends with a colon, or without any punctuation. */
export type Lead = 'colon' | 'words' | 'none'

/** The form of a line that is the answer to a label or a question above it. */
export function answerOf(written: string, lead: Lead): Answer | null {
  const bare = written.replaceAll(DECORATION, '')
  if (bare.length < CHARS_MIN || bare.length > CHARS_MAX) return null
  return wordsOf(bare, lead) ?? emphasisedOf(bare)
}

function wordsOf(bare: string, lead: Lead): Answer | null {
  if (WORD_AND_NUMBER.test(bare)) return { value: bare, shape: 'mixed', parts: 1 }
  if (SMALL_WORDS.test(bare) || LOUD_WORDS.test(bare)) return spelt(bare)
  // Many other things than a code follow a line of words: a name, a greeting.
  if (lead !== 'colon') return null
  const isUncased = bare.length <= UNCASED_CHARS_MAX && UNCASED_WORDS.test(bare)
  return isUncased || TITLE_WORDS.test(bare) ? spelt(bare) : null
}

const SEPARATORS = /[^\p{L}\p{M}\p{N}]+/u

function spelt(value: string): Answer | null {
  const parts = value.split(SEPARATORS).length
  // Groups of letters are typed without their spaces.
  if (parts > 1 && /^[A-Z ]+$/.test(value) && areRandom(value)) return null
  return { value, shape: parts > 1 ? 'words' : 'letters', parts }
}

function emphasisedOf(bare: string): Answer | null {
  if (!bare.includes('*') && !bare.includes('_')) return null
  // The emphasis at both ends was taken for decoration.
  const signs = `*${bare}*`.replaceAll(EMPHASISED, '$2').replaceAll(/\s/gu, '')
  if (!/^[A-Z\d]{4,10}$/.test(signs)) return null
  const shape = /^\d+$/.test(signs) ? 'digits' : 'mixed'
  return { value: signs, shape, parts: signs.length }
}
