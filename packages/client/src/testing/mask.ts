import { formatAddress } from '../filter.ts'
import type { Message } from '../messages.ts'

/** A message without values that differ between runs. */
export type MaskedMessage = {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string | null
  readonly otp: string | null
  readonly text: string | null
  readonly html: string | null
  readonly links: readonly string[]
  readonly attachments: readonly string[]
}

const MONTHS = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
const MONTH = `(?:${MONTHS})[a-z]*\\.?`

/** Values that differ between runs in any mail, in the order of replacement. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  // Before times: a port after a host looks like one.
  [/\b(localhost|127\.0\.0\.1|\[::1\]):\d+/g, '$1:<port>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g, '<date>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<date>'],
  [/\b\d{1,2}[./]\d{1,2}[./]\d{4}\b/g, '<date>'],
  [new RegExp(`\\b\\d{1,2}(?:st|nd|rd|th)?\\.? ${MONTH},? \\d{4}\\b`, 'g'), '<date>'],
  [new RegExp(`\\b${MONTH} \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}\\b`, 'g'), '<date>'],
  [/\b\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?(?: (?:UTC|GMT))?(?: ?[+-]\d{4})?/gi, '<time>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<uuid>'],
  // Before tokens: each part of a JSON Web Token would be one.
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '<token>'],
  // Long, with digits and letters mixed: not a word.
  [/(?<![\w<-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{16,}(?![\w-])/g, '<token>'],
]

/** Values of parameters by these names are tokens, however short. */
const SECRET_PARAMETER =
  /([?&;](?:amp;)?(?:token|code|key|otp|sig|signature|hash|nonce|state|t)=)[^&#\s"'<>]+/gi

/** Masks codes, dates, tokens and the address of the inbox. */
export function maskMessage(message: Message): MaskedMessage {
  const mask = (text: string) => maskText(text, message)
  return {
    from: mask(formatAddress(message.from)),
    to: message.to.map((address) => mask(formatAddress(address))),
    subject: message.subject === null ? null : mask(message.subject),
    otp: message.otp === null ? null : '<code>',
    text: message.text === null ? null : mask(message.text),
    html: message.html === null ? null : mask(message.html),
    links: message.links.map(({ url }) => mask(url)),
    attachments: message.attachments.map(
      ({ filename, contentType }) => `${mask(filename ?? '(no name)')} (${contentType})`,
    ),
  }
}

/** Snapshots are committed by users: when their format changes, so does this number. */
const FORMAT = 1

/** For `expect.addSnapshotSerializer`: messages in snapshots are masked. */
export const mailSnapshotSerializer = {
  test: isMessage,
  print: (value: unknown, printer: (masked: unknown) => string): string =>
    // `test` has checked that it is one.
    `Message (format ${FORMAT}) ${printer(maskMessage(value as Message))}`,
}

function maskText(text: string, { otp, envelope }: Message): string {
  const known: (readonly [RegExp, string])[] = [
    [literal(envelope.rcptTo), '<inbox>'],
    [literal(encodeURIComponent(envelope.rcptTo)), '<inbox>'],
    ...(otp === null ? [] : [[spaced(otp.value), '<code>'] as const]),
    [SECRET_PARAMETER, '$1<token>'],
  ]
  let masked = text
  for (const [pattern, mask] of [...known, ...VOLATILE]) masked = masked.replace(pattern, mask)
  return masked
}

/** A code as mails write it: `481516`, `481 516` or `481-516`. */
function spaced(code: string): RegExp {
  const characters = [...code.replace(/[\s-]/g, '')].map(escaped)
  return new RegExp(`(?<!\\w)${characters.join('[\\s\\u00a0-]?')}(?!\\w)`, 'gi')
}

function literal(text: string): RegExp {
  // An empty text matches nothing.
  return text === '' ? /(?!)/ : new RegExp(escaped(text), 'gi')
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

function isMessage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return ['inboxId', 'receivedAt', 'envelope', 'links'].every((name) => name in value)
}
