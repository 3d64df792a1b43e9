import { anyCase } from '@mayfly/contract'
import type MailComposer from 'nodemailer/lib/mail-composer'
import { z } from 'zod'

/** An address of POST /api/v1/send. */
const addressSchema = anyCase({
  Email: z.string().default(''),
  Name: z.string().default(''),
})

const attachmentSchema = anyCase({
  Content: z.string().default(''),
  Filename: z.string().default(''),
  ContentType: z.string().optional(),
  ContentID: z.string().optional(),
})

/** The body of POST /api/v1/send. */
const sendSchema = anyCase({
  From: addressSchema,
  To: z.array(addressSchema).nullish(),
  Cc: z.array(addressSchema).nullish(),
  Bcc: z.array(z.string()).nullish(),
  ReplyTo: z.array(addressSchema).nullish(),
  Subject: z.string().default(''),
  Text: z.string().default(''),
  HTML: z.string().default(''),
  Attachments: z.array(attachmentSchema).nullish(),
  Tags: z.array(z.string()).nullish(),
  Headers: z.record(z.string(), z.string()).nullish(),
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
  if (Filename === '') throw new SendRefused('attachment without a Filename')
  return {
    filename: Filename,
    content: Buffer.from(Content.replace(/^data:[^,]{0,200},/, ''), 'base64'),
    ...(ContentType === undefined ? {} : { contentType: ContentType }),
    ...(ContentID === undefined ? {} : { cid: ContentID, contentDisposition: 'inline' as const }),
  }
}

/** A `Return-Path` as for mail by SMTP; no `Received`, for it came by no server. */
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
  return Buffer.concat([Buffer.from(`Return-Path: <${mail.from.address}>\r\n`), built])
}

type Sender = { readonly from: { readonly address: string } }
