import { readdirSync, readFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { findOtp, type Otp } from '../src/codes/find.ts'
import { readHtml } from '../src/html/read-html.ts'
import { findLinks } from '../src/links/links.ts'

/** A mail of a batch, as decoded parts, with its code and links. */
export interface BatchMail {
  readonly file: string
  readonly language: string
  readonly kind: string
  readonly from: string
  readonly subject: string | null
  readonly text: string | null
  readonly html: string | null
  readonly otp: string | null
  readonly links: readonly string[]
  /** Whose template it was rendered from; other mails were written. */
  readonly project?: string
}

/** What was found in a mail of a batch. */
export interface BatchResult {
  readonly mail: BatchMail
  readonly found: Otp | null
  readonly links: readonly string[]
  readonly hasExactLinks: boolean
}

const FOLDER = new URL('codes/batches/', import.meta.url)

/** The batches that have been measured and learned from, in the order in which that happened. */
export const BATCHES: readonly URL[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.jsonl'))
  .sort()
  .map((name) => new URL(name, FOLDER))

/** The mails of a batch: one JSON object a line, compressed as long as nobody may read it. */
export function readBatch(path: string | URL): readonly BatchMail[] {
  const bytes = readFileSync(path)
  const isCompressed = String(path).endsWith('.zst')
  const lines = (isCompressed ? zstdDecompressSync(bytes) : bytes).toString('utf8').split('\n')
  return lines.filter((line) => line.trim() !== '').map(mailOf)
}

function mailOf(line: string): BatchMail {
  // The file belongs to the corpus and has this shape.
  const { id, code, ...rest } = JSON.parse(line) as Omit<BatchMail, 'file' | 'otp'> & {
    readonly id: string
    readonly code: string | null
  }
  return { ...rest, file: id, otp: code }
}

const results = new WeakMap<BatchMail, BatchResult>()

/** Detects the code and the links of a mail of a batch: once, since many changes are compared. */
export function resultOf(mail: BatchMail): BatchResult {
  const known = results.get(mail) ?? detect(mail)
  results.set(mail, known)
  return known
}

function detect(mail: BatchMail): BatchResult {
  const { subject, text } = mail
  const html = mail.html === null ? null : readHtml(mail.html)
  const links = findLinks(html, text).map(({ url }) => url)
  const hasExactLinks =
    links.length === mail.links.length && links.every((url, at) => url === mail.links[at])
  return { mail, found: findOtp({ subject, text, html }).otp, links, hasExactLinks }
}
