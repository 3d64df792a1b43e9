import { type AttachmentVerdict, judgeAttachments } from './attachments/verdict.ts'
import { findOtp, type OtpFinding } from './codes/find.ts'
import { readHtml } from './html/read-html.ts'
import { previewOf, readableText } from './html/readable-text.ts'
import { findLinks, type MailLink } from './links/links.ts'
import type { ParsedMail } from './mime/parse-mail.ts'

/** What is detected in a parsed mail. */
export interface Detected {
  /** The plain text, or the visible text of a mail that has HTML only. */
  readonly text: string | null
  readonly preview: string | null
  readonly links: readonly MailLink[]
  /** The one-time code, if any, and the other candidates. */
  readonly code: OtpFinding
  /** One for each attachment, in their order. */
  readonly verdicts: readonly AttachmentVerdict[]
}

/** Examines a parsed mail. */
export function detect(mail: ParsedMail): Detected {
  const reading = mail.html === null ? null : readHtml(mail.html)
  const visibleText = reading === null ? null : readableText(reading)
  const text = mail.text ?? visibleText
  return {
    text,
    preview: previewOf(visibleText || text || ''),
    links: findLinks(reading, mail.text),
    code: findOtp({ subject: mail.subject, text: mail.text, html: reading }),
    verdicts: judgeAttachments(mail.attachments),
  }
}
