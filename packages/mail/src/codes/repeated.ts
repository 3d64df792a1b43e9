import type { ReadLine } from './mail-reader.ts'

/** Other ways in which values are written in a mail. */
export interface Repeated {
  /** Last words of adjacent lines, `R`, `6`, `6`, `C`, and single characters, joined. */
  readonly joined: ReadonlySet<string>
  /** Numbers with separators for thousands, without these: `4,820`. */
  readonly amounts: ReadonlySet<string>
}

/** A line that ends with a part of a code, with or without a label. */
const PART = /^(?:\p{L}.{0,40}[\s:：]|\s*)([\p{Lu}\p{Nd}]{1,4})\s*$/u
const PART_CHARS_MAX = 50

/** A line of single characters: `b j ö r k – 9 1`. */
const SPELT = /^\s*[\p{L}\p{Nd}](?:[\s–—-]+[\p{L}\p{Nd}]){3,11}\s*$/u

const THOUSANDS = /(?<![\d.,'’])\d{1,3}(?:[,.'’]\d{3})+(?![\d.,'’]?\d)/g

/** Numbers with separators that are read: more are a table. */
const AMOUNTS_MAX = 50

/** Reads how values are written in other ways. */
export function repeatedIn(lines: readonly ReadLine[]): Repeated {
  const joined = new Set<string>()
  const amounts = new Set<string>()
  let run: string[] = []
  for (const { text, hasDigit } of lines) {
    const isShort = text.length <= PART_CHARS_MAX
    if (isShort && SPELT.test(text)) joined.add(text.replaceAll(/[^\p{L}\p{N}]/gu, ''))
    const part = isShort ? PART.exec(text)?.[1] : undefined
    if (part !== undefined) run.push(part)
    else if (run.length > 0) {
      if (run.length > 1) joined.add(run.join(''))
      run = []
    }
    if (!hasDigit || amounts.size > AMOUNTS_MAX) continue
    for (const [amount] of text.matchAll(THOUSANDS)) amounts.add(amount.replaceAll(/\D/g, ''))
  }
  return { joined, amounts }
}

/** Facts by the other ways in which a value is written. */
export function repeatedFacts(value: string, { joined, amounts }: Repeated): readonly string[] {
  const facts: string[] = []
  if (joined.has(value)) facts.push('written in parts as well')
  if (amounts.has(value)) facts.push('written as an amount as well')
  return facts
}
