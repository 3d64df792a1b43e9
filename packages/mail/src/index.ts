export { parseAddresses } from './addresses/address-list.ts'
export {
  type EmailAddress,
  emailAddressText,
  readEmailAddress,
  withoutTag,
} from './addresses/email-address.ts'
export type { AttachmentVerdict, Inflate } from './attachments/verdict.ts'
export {
  findOtp,
  type Otp,
  type OtpCandidate,
  type OtpFinding,
  type OtpInput,
} from './codes/find.ts'
export { type Detected, detect } from './detect.ts'
export { type HtmlReading, readHtml } from './html/read-html.ts'
export { readableText } from './html/readable-text.ts'
export type { MailLink } from './links/links.ts'
export { type ParsedMail, parseMail } from './mime/parse-mail.ts'
export { decodeTransfer, type TransferEncoding } from './mime/transfer-encoding.ts'
export { findUnmetTerm } from './query/match-query.ts'
export { parseQuery } from './query/parse-query.ts'
export { type QueriedContent, QueriedMail } from './query/queried-mail.ts'
export { contains } from './text/contains.ts'
