import { readFileSync } from 'node:fs'
import { findOtp, type Otp } from '../src/codes/find.ts'
import { readHtml } from '../src/html/read-html.ts'
import { parseMail } from '../src/mime/parse-mail.ts'

/** The part on which the detection was tuned, and the part on which it is only measured. */
export type CorpusPart = 'tune' | 'measure'

/** A mail of the corpus and its code, if any. */
export interface CorpusMail {
  readonly file: string
  readonly language: string
  /** The kind of mail: `sign-in`, `order`, `parcel-pin`. */
  readonly kind: string
  readonly otp: string | null
  readonly raw: Buffer
}

/** What was found in one mail, and what is in it. */
export interface CodeResult {
  readonly mail: { readonly otp: string | null }
  readonly found: Otp | null
}

/** What was found in one mail of the corpus. */
export interface CorpusResult extends CodeResult {
  readonly mail: CorpusMail
}

/** How well codes are found in some mails. */
export interface Score {
  readonly given: number
  readonly right: number
  readonly expected: number
  /** The share of the returned codes that is right; 1 if none is returned. */
  readonly precision: number
  /** The share of the existing codes that is returned; 1 if there are none. */
  readonly recall: number
}

const FOLDER = new URL('mail/otp/', import.meta.url)

/** The mails of one part, in the order of their names. */
export function readCorpus(part: CorpusPart): readonly CorpusMail[] {
  const folder = new URL(`${part}/`, FOLDER)
  const expected: unknown = JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8'))
  // The file belongs to the corpus and has this shape.
  const entries = Object.entries(expected as Record<string, Omit<CorpusMail, 'file' | 'raw'>>)
  return entries.map(([file, rest]) => ({
    file,
    ...rest,
    raw: readFileSync(new URL(file, folder)),
  }))
}

/** Detects the code of a mail as the service does. */
export function detectCode(mail: CorpusMail): CorpusResult {
  const { subject, text, html } = parseMail(mail.raw)
  const reading = html === null ? null : readHtml(html)
  return { mail, found: findOtp({ subject, text, html: reading }).otp }
}

/** Whether the result is right, be it a code or none. */
export function isRight({ mail, found }: CodeResult): boolean {
  return (found?.value ?? null) === mail.otp
}

/** Counts results. */
export function scoreOf(results: readonly CodeResult[]): Score {
  const given = results.filter(({ found }) => found !== null)
  const right = given.filter(isRight).length
  const expected = results.filter(({ mail }) => mail.otp !== null).length
  return {
    given: given.length,
    right,
    expected,
    precision: given.length === 0 ? 1 : right / given.length,
    recall: expected === 0 ? 1 : right / expected,
  }
}

/** The rows of a table of the corpus, with tabs between the cells. */
export function readTable(name: string): readonly (readonly string[])[] {
  const lines = readFileSync(new URL(name, FOLDER), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => line.split('\t'))
}
