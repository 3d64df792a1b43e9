import { readFileSync } from 'node:fs'
import { findOtp, type Otp } from '../src/codes/find.ts'
import { readHtml } from '../src/html/read-html.ts'
import { parseMail } from '../src/mime/parse-mail.ts'

/** The part that the detector was tuned on, and the part that is only measured. */
export type CorpusPart = 'tune' | 'measure'

/** A mail of the corpus and the code that it hands over, if any. */
export interface CorpusMail {
  readonly file: string
  readonly language: string
  /** What the mail is: `sign-in`, `order`, `parcel-pin`. */
  readonly kind: string
  readonly otp: string | null
  readonly raw: Buffer
}

/** What was found in one mail. */
export interface Verdict {
  readonly mail: CorpusMail
  readonly found: Otp | null
}

/** How well codes are found, over some verdicts. */
export interface Score {
  readonly given: number
  readonly right: number
  readonly expected: number
  /** Of the codes given, the share that is right; 1 where none is given. */
  readonly precision: number
  /** Of the codes there are, the share that is given; 1 where there are none. */
  readonly recall: number
}

const FOLDER = new URL('mail/otp/', import.meta.url)

/** The mails of one part, in the order of their names. */
export function readCorpus(part: CorpusPart): readonly CorpusMail[] {
  const folder = new URL(`${part}/`, FOLDER)
  const expected: unknown = JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8'))
  // The file is ours; its shape is that of the corpus by construction.
  const entries = Object.entries(expected as Record<string, Omit<CorpusMail, 'file' | 'raw'>>)
  return entries.map(([file, rest]) => ({
    file,
    ...rest,
    raw: readFileSync(new URL(file, folder)),
  }))
}

/** Looks for the code of a mail as the service does. */
export function judgeMail(mail: CorpusMail): Verdict {
  const { subject, text, html } = parseMail(mail.raw)
  const reading = html === null ? null : readHtml(html)
  return { mail, found: findOtp({ subject, text, html: reading }).otp }
}

/** Whether the verdict is the right one, be it a code or none. */
export function isRight({ mail, found }: Verdict): boolean {
  return (found?.value ?? null) === mail.otp
}

/** Counts verdicts. */
export function scoreOf(verdicts: readonly Verdict[]): Score {
  const given = verdicts.filter(({ found }) => found !== null)
  const right = given.filter(isRight).length
  const expected = verdicts.filter(({ mail }) => mail.otp !== null).length
  return {
    given: given.length,
    right,
    expected,
    precision: given.length === 0 ? 1 : right / given.length,
    recall: expected === 0 ? 1 : right / expected,
  }
}

/** Lines of a table beside the mails, its cells parted by tabs. */
export function readTable(name: string): readonly (readonly string[])[] {
  const lines = readFileSync(new URL(name, FOLDER), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => line.split('\t'))
}
