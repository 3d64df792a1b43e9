import { randomBytes } from 'node:crypto'
import { Misuse } from './exit.ts'
import {
  type AttachedFile,
  filePart,
  headerText,
  multipart,
  type Part,
  textPart,
} from './mail-parts.ts'

/** What a mail is made of. */
export type MailContent = {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  readonly files: readonly AttachedFile[]
  readonly date: Date
}

/** A whole mail, ready to be sent. */
export function composeMail(mail: MailContent): Uint8Array {
  const { headers, body } = contentOf(mail)
  const domain = addressOf(mail.from).split('@')[1] ?? 'localhost'
  const lines = [
    `From: ${addressHeader(mail.from)}`,
    `To: ${mail.to.map(addressHeader).join(', ')}`,
    `Subject: ${headerText(oneLine('subject', mail.subject))}`,
    `Date: ${mail.date.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${randomBytes(12).toString('hex')}@${domain}>`,
    'MIME-Version: 1.0',
    ...headers,
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}\r\n`, 'utf8')
}

/** The address alone of `Name <address>`. */
export function addressOf(text: string): string {
  const line = oneLine('address', text)
  const address = (/<([^<>]+)>\s*$/.exec(line)?.[1] ?? line).trim()
  if (/^[^\s@<>]+@[^\s@<>]+$/.test(address)) return address
  throw new Misuse(`"${text}" is not an email address.`)
}

function contentOf({ text, html, files }: MailContent): Part {
  const bodies = [
    ...(text === null ? [] : [textPart('plain', text)]),
    ...(html === null ? [] : [textPart('html', html)]),
  ]
  const [only = textPart('plain', '')] = bodies
  const body = bodies.length > 1 ? multipart('alternative', bodies) : only
  return files.length === 0 ? body : multipart('mixed', [body, ...files.map(filePart)])
}

function addressHeader(text: string): string {
  const address = addressOf(text)
  const name = /^(.*)<[^<>]+>\s*$/s.exec(text)?.[1]?.trim() ?? ''
  if (name === '') return address
  const isPlain = /^[\w .-]+$/.test(name) || /^".*"$/.test(name)
  return `${isPlain ? name : headerText(`${name} `).trimEnd()} <${address}>`
}

function oneLine(what: string, text: string): string {
  if (/[\r\n]/.test(text)) throw new Misuse(`the ${what} must be on one line.`)
  return text
}
