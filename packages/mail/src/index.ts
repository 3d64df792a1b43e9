export { emailAddressText, readEmailAddress, withoutTag } from './addresses/email-address.ts'
export type { Inflate, Verdict } from './attachments/attachments.ts'
export {
  findOtp,
  type Otp,
  type OtpCandidate,
  type OtpFinding,
  type OtpInput,
} from './codes/find.ts'
export { type Detected, detect } from './detect.ts'
export { type HtmlReading, readHtml } from './html/read.ts'
export { readableText } from './html/readable-text.ts'
export type { MailLink } from './links/links.ts'
export { decodeTransfer, type TransferEncoding } from './mime/decode.ts'
export { type ParsedMail, parseMail } from './mime/parse.ts'
