import { type BatchMail, resultOf } from './testing-otp-batches.ts'

/** A change of a mail that does not change its code, or changes it in a known way. */
export interface Transformation {
  readonly name: string
  /** Whether it adds or drops something that a reader would read: a number, a subject, a part. */
  readonly matters?: boolean
  /** The changed mail with the code that it then has; null where the change does not apply. */
  readonly apply: (mail: BatchMail) => BatchMail | null
}

/** How many mails a transformation applies to, and those whose verdict it changes. */
export interface Stability {
  readonly applied: number
  readonly changed: readonly string[]
}

/** Compares the verdicts before and after a transformation. */
export function stabilityUnder({ apply }: Transformation, mails: readonly BatchMail[]): Stability {
  const pairs = mails.flatMap((mail) => {
    const after = apply(mail)
    return after === null ? [] : [{ file: mail.file, is: verdictOf(after), was: verdictOf(mail) }]
  })
  const changed = pairs.filter(({ is, was }) => is !== was)
  return {
    applied: pairs.length,
    changed: changed.map(({ file, is, was }) => `${file} from ${was} to ${is}`),
  }
}

function verdictOf(mail: BatchMail): string {
  const { found } = resultOf(mail)
  if (found === null) return 'none'
  return found.value === mail.otp ? 'right' : found.value
}

const FOOTER = [
  'Larkfield Ltd, 1204 Harbour Street, Leeds LS1 4AB',
  'Phone: +44 113 496 0871',
  '© 2026 Larkfield Ltd. All rights reserved.',
]

const SIGNATURE = ['--', 'Dana Whitlock', 'Support, room 2107']

const QUOTE = ['On 12 May 2026 at 14:05, Dana Whitlock wrote:', '> Thanks, I will look into it.']

const FILLER =
  '<tr><td style="font-size:0;line-height:0;padding:0 24px" height="16">&nbsp;</td></tr>'
const TEMPLATE_CHARS = 40_000

/** All transformations, by name. */
export const TRANSFORMATIONS: readonly Transformation[] = [
  {
    name: 'the text part alone',
    matters: true,
    apply: (mail) => (mail.html ? only(mail, 'text') : null),
  },
  {
    name: 'the HTML alone',
    matters: true,
    apply: (mail) => (mail.text ? only(mail, 'html') : null),
  },
  { name: 'HTML made of the text', apply: withHtmlOfText },
  { name: 'subject "hello"', matters: true, apply: (mail) => withSubject(mail, 'hello') },
  { name: 'subject "Test"', matters: true, apply: (mail) => withSubject(mail, 'Test') },
  { name: 'no subject', matters: true, apply: (mail) => withSubject(mail, null) },
  { name: 'the subject in capitals', apply: withLoudSubject },
  { name: 'a footer', apply: (mail) => withLinesBelow(mail, FOOTER) },
  { name: 'a signature', apply: (mail) => withLinesBelow(mail, SIGNATURE) },
  { name: 'an older mail below', matters: true, apply: (mail) => withLinesBelow(mail, QUOTE) },
  {
    name: 'an order below',
    matters: true,
    apply: (mail) => withLinesBelow(mail, ['Order number: 730528']),
  },
  {
    name: 'an order above',
    matters: true,
    apply: (mail) => withLinesAbove(mail, ['Order number: 730528']),
  },
  {
    name: 'a ticket below',
    matters: true,
    apply: (mail) => withLinesBelow(mail, ['Ticket 884120']),
  },
  {
    name: 'an order behind the code',
    matters: true,
    apply: (mail) => withLineOfCode(mail, (line) => `${ended(line)} Order 730528.`),
  },
  {
    name: 'a ticket before the code',
    matters: true,
    apply: (mail) => withLineOfCode(mail, (line) => `Ticket 884120. ${line}`),
  },
  {
    name: 'a phone above',
    matters: true,
    apply: (mail) => withLinesAbove(mail, ['Phone: 555 0142']),
  },
  { name: 'a preheader', apply: withPreheader },
  { name: 'a tracking link', apply: withTrackingLink },
  { name: 'a large template', apply: withTemplate },
  { name: 'the code in bold', apply: (mail) => withMarkedCode(mail, (code) => `<b>${code}</b>`) },
  {
    name: 'the code in code',
    apply: (mail) => withMarkedCode(mail, (code) => `<code>${code}</code>`),
  },
  { name: 'the code in spans', apply: (mail) => withMarkedCode(mail, inSpans) },
  {
    name: 'another code',
    matters: true,
    apply: (mail) => withOtherCode(mail, (at) => '7305284916'.charAt(at)),
  },
  {
    name: 'leading zeros',
    matters: true,
    apply: (mail) => withOtherCode(mail, (at) => '0047385216'.charAt(at)),
  },
  {
    name: 'a round number',
    matters: true,
    apply: (mail) => withOtherCode(mail, (at) => (at === 0 ? '5' : '0')),
  },
]

function only(mail: BatchMail, part: 'text' | 'html'): BatchMail | null {
  const other = part === 'text' ? 'html' : 'text'
  const isWhole =
    mail.otp === null || isIn(mail, part) || isIn({ ...mail, text: mail.subject }, 'text')
  return mail[part] === null || !isWhole ? null : { ...mail, [other]: null }
}

function isIn(mail: BatchMail, part: 'text' | 'html'): boolean {
  return mail.otp !== null && (mail[part] ?? '').includes(mail.otp)
}

function withHtmlOfText(mail: BatchMail): BatchMail | null {
  if (mail.text === null || mail.html !== null) return null
  return {
    ...mail,
    html: mail.text
      .split(/\n\s*\n/)
      .map(paragraph)
      .join(''),
  }
}

/** A text as HTML. */
export function paragraph(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<p>${escaped.replaceAll('\n', '<br>')}</p>`
}

/** Only for mails that have their code in the body. */
function withSubject(mail: BatchMail, subject: string | null): BatchMail | null {
  return isIn(mail, 'text') || isIn(mail, 'html') ? { ...mail, subject } : null
}

function withLoudSubject(mail: BatchMail): BatchMail | null {
  const { subject, otp } = mail
  if (subject === null || /[a-z]/.test(otp ?? '')) return null
  return { ...mail, subject: subject.toLocaleUpperCase(mail.language) }
}

/** A mail with lines at its end, in each of its parts. */
export function withLinesBelow(mail: BatchMail, lines: readonly string[]): BatchMail {
  const text = mail.text === null ? null : `${mail.text.trimEnd()}\n\n${lines.join('\n')}\n`
  const block = lines.map(paragraph).join('')
  const end = mail.html?.search(/<\/body>/i) ?? -1
  const at = end < 0 ? (mail.html?.length ?? 0) : end
  const html = mail.html === null ? null : mail.html.slice(0, at) + block + mail.html.slice(at)
  return { ...mail, text, html }
}

/** A mail with lines at its start, in each of its parts. */
export function withLinesAbove(mail: BatchMail, lines: readonly string[]): BatchMail {
  const text = mail.text === null ? null : `${lines.join('\n')}\n\n${mail.text}`
  return { ...mail, text, html: htmlAfterStart(mail, lines.map(paragraph).join('')) }
}

/** Changes the line with the code of a plain mail; not where the code stands alone in it. */
function withLineOfCode(mail: BatchMail, change: (line: string) => string): BatchMail | null {
  const { text, html, otp } = mail
  if (text === null || html !== null || otp === null) return null
  const lines = text.split('\n')
  const at = lines.findIndex((line) => line.includes(otp))
  const line = lines[at] ?? ''
  // A long line may be continued in the next one, and the number would be inside a sentence;
  // `code=482913` is no sentence.
  const isSentence = /\p{L}/u.test(line.replace(otp, '')) && !line.includes('=')
  if (!isSentence || line.length > LINE_CHARS_MAX) return null
  return { ...mail, text: lines.with(at, change(line)).join('\n') }
}

const LINE_CHARS_MAX = 40

function ended(line: string): string {
  return /[.!?。।]\s*$/.test(line) ? line.trimEnd() : `${line.trimEnd()}.`
}

/** The HTML with something more at the start of its body. */
function htmlAfterStart({ html }: BatchMail, block: string): string | null {
  if (html === null) return null
  const body = /<body[^>]*>/i.exec(html)
  const at = body === null ? 0 : body.index + body[0].length
  return html.slice(0, at) + block + html.slice(at)
}

function withPreheader(mail: BatchMail): BatchMail | null {
  const block = '<div style="display:none;max-height:0">Read this in your browser</div>'
  return mail.html === null ? null : { ...mail, html: htmlAfterStart(mail, block) }
}

function withTrackingLink(mail: BatchMail): BatchMail | null {
  const block = '<p><a href="https://t.example/c/4829130371/593817?u=20418833">View online</a></p>'
  return mail.html === null ? null : { ...mail, html: htmlAfterStart(mail, block) }
}

function withTemplate(mail: BatchMail): BatchMail | null {
  const rows = FILLER.repeat(Math.ceil(TEMPLATE_CHARS / 2 / FILLER.length))
  const block = `<table role="presentation" width="600">${rows}</table>`
  const html = htmlAfterStart(mail, block)
  return html === null ? null : { ...mail, html: html + block }
}

/** Marks the code in the HTML; only where it is written as one word outside of tags. */
function withMarkedCode(mail: BatchMail, mark: (code: string) => string): BatchMail | null {
  const { html, otp } = mail
  if (html === null || otp === null) return null
  const body = /<body[^>]*>/i.exec(html)
  const at = html.indexOf(otp, body?.index ?? 0)
  const isText = at >= 0 && html.lastIndexOf('<', at) <= html.lastIndexOf('>', at)
  if (!isText || /[\w-]/.test(html.charAt(at - 1) + html.charAt(at + otp.length))) return null
  return { ...mail, html: html.slice(0, at) + mark(otp) + html.slice(at + otp.length) }
}

function inSpans(code: string): string {
  return [...code].map((sign) => `<span>${sign}</span>`).join('')
}

/** Replaces a code of digits wherever it is written as one word. */
function withOtherCode(mail: BatchMail, digit: (at: number) => string): BatchMail | null {
  const { otp } = mail
  if (otp === null || !/^\d+$/.test(otp)) return null
  const other = Array.from(otp, (_, at) => digit(at)).join('')
  const word = new RegExp(`(?<![\\d-])${otp}(?![\\d-])`, 'g')
  const replaced = (part: string | null): string | null => part?.replaceAll(word, other) ?? null
  const changed = { text: replaced(mail.text), html: replaced(mail.html) }
  const isWhole = (['text', 'html'] as const).every(
    (part) => mail[part] === null || (mail[part] ?? '') !== changed[part],
  )
  // Written in another way as well: `482 913`, one digit a cell.
  const rest = `${changed.text}${changed.html}`.replaceAll(/<[^>]*>|[\s\u00a0-]/g, '')
  if (!isWhole || rest.includes(otp)) return null
  return { ...mail, ...changed, subject: replaced(mail.subject), otp: other }
}
