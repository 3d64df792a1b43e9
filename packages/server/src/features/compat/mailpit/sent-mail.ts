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
  readonly mailFrom: string
  readonly recipients: readonly string[]
}

/** Why a mail cannot be sent, for the caller. */
export class SendRefused extends Error {}

/** Headers that the service itself writes. */
const RESTRICTED_HEADERS: ReadonlySet<string> = new Set(
  'bcc cc content-type date from message-id mime-version received reply-to subject to x-tags'.split(
    ' ',
  ),
)

const ADDRESS = /^[^\s<>@",;:]+@[^\s<>@",;:]+$/

/** Composes the mail of a request; throws `SendRefused` when the request is invalid. */
export async function composeSentMail(body: Uint8Array): Promise<SentMail> {
  const request = readRequest(body)
  const { From: from, To, Cc, Bcc, ReplyTo, Headers } = request
  const to = addresses('To', To)
  const cc = addresses('Cc', Cc)
  const bcc = (Bcc ?? []).map((address) => checked('Bcc', address))
  const recipients = [...to, ...cc].map(({ address }) => address)
  if (recipients.length + bcc.length === 0) throw new SendRefused('no recipients have been set')
  for (const name of Object.keys(Headers ?? {})) {
    if (RESTRICTED_HEADERS.has(name.toLowerCase())) {
      throw new SendRefused(`header "${name}" cannot be set`)
    }
  }
  const mailFrom = checked('From', from.Email)
  const tags = (request.Tags ?? []).join(', ')
  const raw = await build({
    from: { name: from.Name, address: mailFrom },
    to,
    cc,
    bcc,
    replyTo: addresses('ReplyTo', ReplyTo),
    subject: request.Subject,
    text: request.Text,
    ...(request.HTML === '' ? {} : { html: request.HTML }),
    headers: { ...Headers, ...(tags === '' ? {} : { 'X-Tags': tags }) },
    attachments: (request.Attachments ?? []).map(toAttachment),
  })
  return { raw, mailFrom, recipients: [...recipients, ...bcc] }
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

/** A `Return-Path` as for mail by SMTP; no `Received`, because no server relayed it. */
async function build(
  mail: ConstructorParameters<typeof MailComposer>[0] & Sender,
): Promise<Buffer> {
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
  const returnPath = Buffer.from(`Return-Path: <${mail.from.address}>\r\n`)
  return Buffer.concat([returnPath, hasAddedEnd ? built.subarray(0, -2) : built])
}

type Sender = { readonly from: { readonly address: string } }
