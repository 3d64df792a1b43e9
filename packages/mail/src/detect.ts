import { type Inflate, judgeAttachment, type Verdict } from './attachments/attachments.ts'
import { findOtp, type OtpFinding } from './codes/find.ts'
import { type HtmlReading, readHtml } from './html/read.ts'
import { previewOf, readableText } from './html/readable-text.ts'
import { findLinks, type MailLink } from './links/links.ts'
import type { ParsedMail } from './mime/parse.ts'

/** What is found in a mail at arrival, beyond what it says itself. */
export interface Detected {
  /** The plain text, or the readable text of a mail that has HTML alone. */
  readonly text: string | null
  /** What a reader sees of the HTML; null when there is none. */
  readonly visibleText: string | null
  readonly preview: string | null
  readonly links: readonly MailLink[]
  /** The one-time code, or none, and what else might have been it. */
  readonly code: OtpFinding
  /** One for each attachment, in their order. */
  readonly verdicts: readonly Verdict[]
}

/** Looks through a mail once. `inflate` lets archives be judged by what they compress. */
export function detect(mail: ParsedMail, inflate: Inflate | null = null): Detected {
  const reading: HtmlReading | null = mail.html === null ? null : readHtml(mail.html)
  const visibleText = reading === null ? null : readableText(reading)
  const text = mail.text ?? visibleText
  return {
    text,
    visibleText,
    preview: previewOf(visibleText || text || ''),
    links: findLinks(reading, mail.text),
    code: findOtp({ subject: mail.subject, text: mail.text, html: reading }),
    verdicts: mail.attachments.map((attachment) => judgeAttachment(attachment, inflate)),
  }
}
