import { type AttachmentVerdict, judgeAttachments } from './attachments/verdict.ts'
import { findOtp, findOtpSteps, type OtpFinding } from './codes/find.ts'
import { readHtml } from './html/read-html.ts'
import { previewOf, readableText } from './html/readable-text.ts'
import { findLinks, type MailLink } from './links/links.ts'
import type { ParsedMail } from './mime/parse-mail.ts'
import { runSteps, type Steps } from './steps.ts'

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
  return runSteps(detectSteps(mail))
}

/** The same, step by step. */
export function* detectSteps(mail: ParsedMail): Steps<Detected> {
  const reading = mail.html === null ? null : readHtml(mail.html)
  yield
  const visibleText = reading === null ? null : readableText(reading)
  const text = mail.text ?? visibleText
  const preview = previewOf(visibleText || text || '')
  const links = findLinks(reading, mail.text)
  yield
  const code = yield* findOtpSteps({ subject: mail.subject, text: mail.text, html: reading })
  return { text, preview, links, code, verdicts: judgeAttachments(mail.attachments) }
}

/** Finds the one-time code of a form, such as `999999`. */
export function detectOtp({ subject, text, html }: ParsedMail, format: string | null): OtpFinding {
  return findOtp({ subject, text, html: html === null ? null : readHtml(html) }, format)
}
