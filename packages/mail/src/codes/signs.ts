import { codeAt } from '../text/code-at.ts'

/**
 * Characters that the forms searched in a line need, as bits. Most lines have few of them, and are
 * then not matched with the expressions for these forms.
 */
export const SIGN = {
  /** From 0 to 9. */
  digit: 1,
  /** Of ASCII, as are the small letters. */
  capital: 1 << 1,
  small: 1 << 2,
  /** Beyond ASCII, but for the signs of European languages and of currencies: most are letters. */
  foreign: 1 << 3,
  colon: 1 << 4,
  /** What leads from a label to its value: a colon, an equals sign. */
  lead: 1 << 5,
  dot: 1 << 6,
  /** A dash or an underscore of ASCII. */
  dash: 1 << 7,
  closingBracket: 1 << 8,
  /** What a field that a program fills in begins with, other than the percent sign. */
  brace: 1 << 9,
  percent: 1 << 10,
  plus: 1 << 11,
  /** What stands for the digits of a card number that are not shown. */
  mask: 1 << 12,
  copyright: 1 << 13,
  /** Not a character: the words of a sentence, without a code in any form. */
  prose: 1 << 14,
} as const

/** All characters, for a text that was not read. */
export const ANY_SIGN = SIGN.prose - 1

/** Bits of the signs; a key of the text is above them. */
export const SIGN_BITS = 15

/** Neither letters nor digits: spaces, dashes, quotation marks, currencies. */
const EUROPEAN_SIGNS: readonly (readonly [number, number])[] = [
  [0x80, 0xa9],
  [0xab, 0xb1],
  [0x2010, 0x205f],
  [0x20a0, 0x20c0],
]

const TABLE = makeTable()

function makeTable(): Uint16Array {
  const table = new Uint16Array(0x10000)
  table.fill(SIGN.digit, 0x30, 0x3a)
  table.fill(SIGN.capital, 0x41, 0x5b)
  table.fill(SIGN.small, 0x61, 0x7b)
  table.fill(SIGN.foreign, 0x80)
  for (const [first, last] of EUROPEAN_SIGNS) table.fill(0, first, last + 1)
  for (const [signs, bit] of [
    [':：', SIGN.colon],
    [':：=՝፦', SIGN.lead],
    ['.', SIGN.dot],
    ['-_', SIGN.dash],
    [']］】〕)）', SIGN.closingBracket],
    ['{<', SIGN.brace],
    ['%', SIGN.percent],
    ['+', SIGN.plus],
    ['*•●·xX', SIGN.mask],
    ['©®', SIGN.copyright],
  ] as const) {
    for (const sign of signs) {
      const code = sign.charCodeAt(0)
      table[code] = (table[code] ?? 0) | bit
    }
  }
  return table
}

/** Which of these characters a text has, and a key of the text above these bits. */
export function signsAndKeyOf(text: string): number {
  let signs = 0
  let key = 0
  const { length } = text
  for (let at = 0; at < length; at += 1) {
    const code = codeAt(text, at)
    signs |= TABLE[code] ?? 0
    key = (Math.imul(key, 31) + code) | 0
  }
  return withKey(signs, key)
}

/** Signs and a key in one number: it is a small integer, which needs no object. */
export function withKey(signs: number, key: number): number {
  return signs | (((key ^ (key >>> 16)) & 0xffff) << SIGN_BITS)
}
