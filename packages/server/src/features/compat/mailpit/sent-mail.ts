import { anyCase } from '@mayfly/contract'
import type MailComposer from 'nodemailer/lib/mail-composer'
import { z } from 'zod'

/** In Go, null is the empty text. */
const text = z
  .string()
  .nullish()
  .transform((given) => given ?? '')

/** An address of POST /api/v1/send. */
const addressSchema = anyCase({
  Email: text,
  Name: text,
})

const attachmentSchema = anyCase({
  Content: text,
  Filename: text,
  ContentType: text,
  ContentID: text,
})

/** The body of POST /api/v1/send. */
const sendSchema = anyCase({
  From: addressSchema,
  To: z.array(addressSchema).nullish(),
  Cc: z.array(addressSchema).nullish(),
  Bcc: z.array(z.string()).nullish(),
  ReplyTo: z.array(addressSchema).nullish(),
  Subject: text,
  Text: text,
  HTML: text,
  Attachments: z.array(attachmentSchema).nullish(),
  Tags: z.array(text).nullish(),
  Headers: z.record(z.string(), text).nullish(),
})

/** A mail that a caller sends by Mailpit's API. */
export type SentMail = {
  readonly raw: Buffer
  /** As a client would have sent it: without the header that the service adds. */
  readonly sizeBytes: number
  readonly mailFrom: string
  readonly recipients: readonly string[]
}

/** Why a mail cannot be sent, for the caller. */
export class SendRefused extends Error {}

/** Headers that fields of the request set. */
const RESTRICTED_HEADERS: ReadonlySet<string> = new Set(
  'bcc cc content-type date from mime-version reply-to subject to'.split(' '),
)

/** The name of a header (RFC 5322). */
const HEADER_NAME = /^[\x21-\x39\x3b-\x7e]+$/

/** An address; its local part may be quoted. */
const ADDRESS = /^(?:[^\s<>@",;:]+|"(?:[^"\\\0-\x1f\x7f]|\\[\x20-\x7e])+")@[^\s<>@",;:]+$/

/** Composes the mail of a request; throws `SendRefused` when the request is invalid. */
export async function composeSentMail(body: Uint8Array): Promise<SentMail> {
  const request = readRequest(body)
  const { From: from, To, Cc, Bcc, ReplyTo, Headers } = request
  const to = addresses('To', To)
  const cc = addresses('Cc', Cc)
  const bcc = (Bcc ?? []).map((address) => checked('Bcc', address))
  const recipients = [...to, ...cc].map(({ address }) => address)
  if (recipients.length + bcc.length === 0) throw new SendRefused('no recipients have been set')
  const mailFrom = checked('From', from.Email)
  const tags = (request.Tags ?? []).join(', ')
  const built = await build({
    from: { name: from.Name, address: mailFrom },
    to,
    cc,
    bcc,
    replyTo: addresses('Reply-To', ReplyTo),
    subject: request.Subject,
    text: request.Text,
    ...(request.HTML === '' ? {} : { html: request.HTML }),
    headers: headersOf(Headers ?? {}, tags),
    attachments: (request.Attachments ?? []).map(toAttachment),
  })
  // As for mail by SMTP; no `Received`, because no server relayed it.
  const raw = Buffer.concat([Buffer.from(`Return-Path: <${mailFrom}>\r\n`), built])
  return { raw, sizeBytes: built.length, mailFrom, recipients: [...recipients, ...bcc] }
}

/** The headers to add. A `Return-Path` among them is replaced, as in mail by SMTP. */
function headersOf(given: Readonly<Record<string, string>>, tags: string): Record<string, string> {
  const headers = Object.entries(given).filter(([name]) => name.toLowerCase() !== 'return-path')
  for (const [name] of headers) {
    if (!HEADER_NAME.test(name))
      throw new SendRefused(`invalid header key: ${JSON.stringify(name)}`)
    const isTags = tags !== '' && name.toLowerCase() === 'x-tags'
    if (isTags || RESTRICTED_HEADERS.has(name.toLowerCase())) {
      throw new SendRefused(`cannot overwrite header: "${name}"`)
    }
  }
  return { ...Object.fromEntries(headers), ...(tags === '' ? {} : { 'X-Tags': tags }) }
}

function readRequest(body: Uint8Array): z.infer<typeof sendSchema> {
  try {
    return sendSchema.parse(JSON.parse(Buffer.from(body).toString('utf8')))
  } catch (error) {
    const issue = error instanceof z.ZodError ? error.issues[0] : undefined
    const reason =
      issue === undefined ? 'invalid JSON' : `${issue.path.join('.')}: ${issue.message}`
    throw new SendRefused(reason)
  }
}

type Address = z.infer<typeof addressSchema>

function addresses(field: string, given: readonly Address[] | null | undefined) {
  return (given ?? []).map(({ Name, Email }) => ({ name: Name, address: checked(field, Email) }))
}

function checked(field: string, address: string): string {
  if (!ADDRESS.test(address)) throw new SendRefused(`invalid ${field} address: ${address}`)
  return address
}

function toAttachment(given: z.infer<typeof attachmentSchema>) {
  const { Content, Filename, ContentType, ContentID } = given
  const base64 = Content.replace(/^data:[^,]{0,200},/, '').replaceAll(/[\r\n]/g, '')
  const content = Buffer.from(base64, 'base64')
  // Decoding skips characters that are not base64.
  if (base64.length % 4 !== 0 || content.length !== Buffer.byteLength(base64, 'base64')) {
    throw new SendRefused(`error decoding base64 attachment "${Filename}"`)
  }
  return {
    filename: Filename || 'attachment',
    content,
    ...(ContentType === '' ? {} : { contentType: ContentType }),
    ...(ContentID === '' ? {} : { cid: ContentID, contentDisposition: 'inline' as const }),
  }
}

async function build(mail: ConstructorParameters<typeof MailComposer>[0] = {}): Promise<Buffer> {
  // Loaded with the first mail that is sent so.
  const { default: Composer } = await import('nodemailer/lib/mail-composer')
  const node = new Composer({
    ...mail,
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile()
  node.keepBcc = true
  const built = await node.build()
  // A line end is added to a body without one.
  const body = String(mail.html ?? mail.text)
  const hasAddedEnd = body !== '' && !body.endsWith('\n')
  return hasAddedEnd ? built.subarray(0, -2) : built
}
