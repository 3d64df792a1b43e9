import { readTable } from './testing-otp-corpus.ts'

const SECOND_NUMBERS: ReadonlyMap<string, readonly string[]> = new Map(
  readTable('second-numbers.tsv').map(([language = '', ...numbers]) => [language, numbers]),
)

/**
 * A text with a second number that its name tells apart: before it and behind it, in the same line
 * and in another one. Empty for a language without such numbers.
 */
export function withSecondNumber(language: string, text: string): readonly string[] {
  const ended = /[.!?。।]$/.test(text) ? text : `${text}.`
  const lines = text.split('\n')
  return (SECOND_NUMBERS.get(language) ?? []).flatMap((second) => [
    // Behind a code that stands alone in its line it would not stand alone any more.
    ...(/\p{L}/u.test(lines.at(-1) ?? '') ? [`${ended} ${second}.`] : []),
    ...(/\p{L}/u.test(lines[0] ?? '') ? [`${second}. ${text}`] : []),
    `${text}\n\n${second}`,
    `${second}\n\n${text}`,
  ])
}
