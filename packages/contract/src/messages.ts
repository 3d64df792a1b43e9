import { z } from 'zod'
import { MESSAGES_PAGE } from './bounds.ts'
import { dateTimeSchema } from './date-times.ts'
import { errorResponses } from './error-responses.ts'
import { idSchema, inboxRefSchema } from './id-schema.ts'
import { watermarkSchema } from './inboxes.ts'
import { otpFormatField } from './otp-format.ts'
import { cursorSchema, nextCursorSchema, queryInteger } from './query.ts'
import { searchQuerySchema } from './search.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

/** An address of a header. */
export const mailAddressSchema = z
  .object({
    name: z.string().nullable().meta({ example: 'Example App' }),
    address: z.string().nullable().meta({ example: 'no-reply@example.com' }),
  })
  .meta({ id: 'MailAddress' })

/** An address of a header. */
export type MailAddress = z.infer<typeof mailAddressSchema>

/** A one-time code and its confidence. */
export const otpSchema = z
  .object({
    value: z.string().meta({ example: '481516' }),
    confidence: z.number().min(0).max(1).meta({ example: 0.98 }),
  })
  .meta({ id: 'Otp' })

/** A one-time code and its confidence. */
export type Otp = z.infer<typeof otpSchema>

const summaryFields = {
  id: idSchema('message'),
  from: mailAddressSchema,
  recipient: z
    .string()
    .describe('The address written to: the first of the envelope recipients.')
    .meta({ example: 'signup-7f3k2m9q@mayfly.test' }),
  subject: z.string().nullable().meta({ example: 'Your code' }),
  preview: z
    .string()
    .nullable()
    .describe('The beginning of the readable text.')
    .meta({ example: 'Your verification code is 481516.' }),
  receivedAt: dateTimeSchema,
  hasAttachments: z.boolean(),
  hasOtp: z.boolean(),
  read: z.boolean().describe('Whether it was marked as read.'),
}

/** A message in a list. */
export const messageSummarySchema = z.object(summaryFields).meta({ id: 'MessageSummary' })

/** A message in a list. */
export type MessageSummary = z.infer<typeof messageSummarySchema>

/** Whether an attachment may be downloaded. */
export const attachmentStatusSchema = z.enum(['available', 'blocked', 'quarantined'])

/** Whether an attachment may be downloaded. */
export type AttachmentStatus = z.infer<typeof attachmentStatusSchema>

/** An attachment without its content. */
export const attachmentSchema = z
  .object({
    id: idSchema('attachment'),
    filename: z.string().nullable().meta({ example: 'invoice.pdf' }),
    contentType: z.string().meta({ example: 'application/pdf' }),
    sizeBytes: z.number().int().meta({ example: 48_213 }),
    contentId: z.string().nullable().meta({ example: null }),
    inline: z.boolean(),
    sha256: z.string().describe('Of the decoded bytes, in hex.').meta({
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    }),
    status: attachmentStatusSchema,
    reason: z
      .string()
      .nullable()
      .describe('Why it is blocked or quarantined.')
      .meta({ example: null }),
  })
  .meta({ id: 'Attachment' })

/** An attachment without its content. */
export type Attachment = z.infer<typeof attachmentSchema>

const authVerdictSchema = z.object({
  result: z
    .string()
    .describe('A result of RFC 8601: pass, fail, softfail, neutral, none, temperror, permerror.')
    .meta({ example: 'pass' }),
  domain: z.string().nullable().meta({ example: 'example.com' }),
  detail: z.string().nullable().meta({ example: null }),
})

/** The verdicts of the sender checks. */
export const messageAuthSchema = z
  .object({ spf: authVerdictSchema, dkim: authVerdictSchema, dmarc: authVerdictSchema })
  .meta({ id: 'MessageAuth' })

/** The verdicts of the sender checks. */
export type MessageAuth = z.infer<typeof messageAuthSchema>

/** A link in a mail. */
export const linkSchema = z.object({
  url: z.string().meta({ example: 'https://example.com/verify?token=…' }),
  text: z.string().meta({ example: 'Verify your address' }),
})

/** A link in a mail. */
export type Link = z.infer<typeof linkSchema>

/** The SMTP envelope of a message. */
export const messageEnvelopeSchema = z.object({
  mailFrom: z
    .string()
    .describe('Empty for the null sender.')
    .meta({ example: 'no-reply@example.com' }),
  rcptTo: z.string().meta({ example: 'signup-7f3k2m9q@mayfly.test' }),
  remoteAddress: z.string().meta({ example: '127.0.0.1' }),
  helo: z.string().nullable().meta({ example: 'app.example.com' }),
  tls: z
    .string()
    .nullable()
    .describe('The TLS version, or null without TLS.')
    .meta({ example: 'TLSv1.3' }),
})

/** The SMTP envelope of a message. */
export type MessageEnvelope = z.infer<typeof messageEnvelopeSchema>

/** The providers whose HTTP APIs are served. */
export const providerNameSchema = z.enum([
  ...(['ses', 'sendgrid', 'resend', 'postmark', 'mailgun', 'brevo'] as const),
  ...(['mailtrap', 'mandrill', 'mailjet', 'mailersend', 'sparkpost', 'zeptomail'] as const),
])

/** A provider whose HTTP API is served. */
export type ProviderName = z.infer<typeof providerNameSchema>

/** The call of a provider's API by which a message was sent. */
export const providerCallSchema = z
  .object({
    name: providerNameSchema,
    operation: z.string().meta({ example: 'POST /v3/mail/send' }),
    id: z
      .string()
      .describe('The id that the caller got.')
      .meta({ example: 'aGVsbG8gd29ybGQhISEhIQ' }),
    tags: z.array(z.string()).meta({ example: ['signup'] }),
    metadata: z.record(z.string(), z.string()).meta({ example: { userId: '42' } }),
    scheduledAt: dateTimeSchema
      .nullable()
      .describe('When the caller wanted it sent; null: at once.'),
    request: z
      .unknown()
      .describe(
        'The request without its key; contents of attachments are replaced by their sizes. At most 64 KiB.',
      )
      .meta({ example: { subject: 'Your code' } }),
  })
  .meta({ id: 'ProviderCall' })

/** The call of a provider's API by which a message was sent. */
export type ProviderCall = z.infer<typeof providerCallSchema>

/** A full message. */
export const messageSchema = z
  .object({
    ...summaryFields,
    inboxId: idSchema('inbox'),
    recipients: z
      .array(z.string())
      .describe(
        'The envelope recipients. In a catch-all inbox, all of the SMTP transaction; otherwise only the recipient of this message.',
      )
      .meta({ example: ['signup-7f3k2m9q@mayfly.test'] }),
    to: z.array(mailAddressSchema),
    cc: z.array(mailAddressSchema),
    replyTo: z.array(mailAddressSchema),
    sentAt: dateTimeSchema.nullable().describe('The Date header.'),
    sizeBytes: z.number().int().describe('Of the raw message.').meta({ example: 2_410 }),
    text: z.string().nullable().meta({ example: 'Your verification code is 481516.' }),
    html: z
      .string()
      .nullable()
      .describe(
        'Sanitised: without scripts, forms, style sheets and remote images, and without attributes such as `id` and `class`. The raw message has the original.',
      )
      .meta({ example: '<p>Your verification code is <b>481516</b>.</p>' }),
    otp: otpSchema.nullable(),
    links: z.array(linkSchema).describe('In order of appearance, each URL once.'),
    attachments: z.array(attachmentSchema),
    headers: z.array(
      z.object({
        name: z.string().meta({ example: 'Subject' }),
        value: z.string().meta({ example: 'Your code' }),
      }),
    ),
    auth: messageAuthSchema.nullable().describe('Null until the checks are done.'),
    envelope: messageEnvelopeSchema,
    provider: providerCallSchema
      .nullable()
      .describe("The call of a provider's API by which it was sent; null for mail by SMTP."),
    defects: z
      .array(z.string())
      .describe('Defects of the mail; usually empty.')
      .meta({ example: [] }),
  })
  .meta({ id: 'Message' })

/** A full message. */
export type Message = z.infer<typeof messageSchema>

const inboxParams = z.object({ id: inboxRefSchema })
const messageParams = inboxParams.extend({ messageId: idSchema('message') })
const attachmentParams = messageParams.extend({ attachmentId: idSchema('attachment') })
const MESSAGE_ERRORS = [
  ...KEY_ERRORS,
  'inbox_not_found',
  'message_not_found',
  'content_unavailable',
] as const

/** GET /v1/inboxes/{id}/messages */
export const listMessages = {
  operationId: 'listMessages',
  tags: ['Messages'],
  summary: 'List messages',
  description: 'Newest first. Pages stay stable while mail arrives.',
  security: SECURITY,
  params: inboxParams,
  querystring: z.strictObject({
    cursor: cursorSchema,
    limit: queryInteger(MESSAGES_PAGE),
    after: watermarkSchema.optional(),
    q: searchQuerySchema.optional(),
  }),
  response: {
    200: z.object({
      messages: z.array(messageSummarySchema),
      nextCursor: nextCursorSchema,
    }),
    ...errorResponses(
      'invalid_parameter',
      ...KEY_ERRORS,
      'inbox_not_found',
      'shutting_down',
      'content_unavailable',
    ),
  },
}

/** GET /v1/inboxes/{id}/messages/{messageId} */
export const readMessage = {
  operationId: 'readMessage',
  tags: ['Messages'],
  summary: 'Read a message',
  security: SECURITY,
  params: messageParams,
  querystring: z.strictObject({
    remoteImages: z
      .enum(['block', 'allow'])
      .default('block')
      .describe('Whether `html` keeps images that are loaded from other servers.'),
    otpFormat: otpFormatField,
  }),
  response: {
    200: messageSchema,
    ...errorResponses('invalid_parameter', ...MESSAGE_ERRORS),
  },
}

/** A candidate for the one-time code of a mail. */
export const otpCandidateSchema = z
  .object({
    value: z.string().meta({ example: '481516' }),
    confidence: z.number().meta({ example: 0.98 }),
    reasonsFor: z.array(z.string()).meta({ example: ['follows "verification code"'] }),
    reasonsAgainst: z.array(z.string()).meta({ example: [] }),
  })
  .meta({ id: 'OtpCandidate' })

/** A candidate for the one-time code of a mail. */
export type OtpCandidate = z.infer<typeof otpCandidateSchema>

/** GET /v1/inboxes/{id}/messages/{messageId}/otp */
export const explainOtp = {
  operationId: 'explainOtp',
  tags: ['Diagnostics'],
  summary: 'Why a one-time code was found or not found',
  security: SECURITY,
  params: messageParams,
  response: {
    200: z.object({
      otp: otpSchema.nullable(),
      candidates: z.array(otpCandidateSchema).describe('Best first.'),
    }),
    ...errorResponses(...MESSAGE_ERRORS),
  },
}

/** PATCH /v1/inboxes/{id}/messages/{messageId} */
export const changeMessage = {
  operationId: 'changeMessage',
  tags: ['Messages'],
  summary: 'Mark a message as read or unread',
  description: 'Reading a message through the API does not mark it as read.',
  security: SECURITY,
  params: messageParams,
  body: z.strictObject({ read: z.boolean() }),
  response: {
    200: messageSummarySchema,
    ...errorResponses(
      'invalid_json',
      'invalid_parameter',
      ...KEY_ERRORS,
      'inbox_not_found',
      'message_not_found',
    ),
  },
}

/** POST /v1/inboxes/{id}/messages/{messageId}/frame */
export const createMessageFrame = {
  operationId: 'createMessageFrame',
  tags: ['Messages'],
  summary: 'Create a temporary URL that shows a message',
  description:
    'For an iframe: the URL shows the sanitised HTML with its style sheets and embedded images, needs no key, and works for a minute. The document has an origin of its own, runs no scripts and sends no requests, except for images of other servers if they are allowed.',
  security: SECURITY,
  params: messageParams,
  body: z
    .strictObject({ remoteImages: z.enum(['block', 'allow']).optional() })
    .optional()
    .describe('Whether images are loaded from other servers; by default they are not.'),
  response: {
    201: z.object({
      url: z.string().describe('Relative to the service.').meta({ example: '/frame/v1.…' }),
      expiresAt: dateTimeSchema,
      hasRemoteImages: z
        .boolean()
        .describe('Whether the message has images of other servers, loaded or not.'),
    }),
    ...errorResponses('invalid_json', 'invalid_parameter', ...MESSAGE_ERRORS),
  },
}

/** DELETE /v1/inboxes/{id}/messages/{messageId} */
export const deleteMessage = {
  operationId: 'deleteMessage',
  tags: ['Messages'],
  summary: 'Delete a message',
  description:
    'Deletes the message and its content at once. Pending webhook deliveries are still sent.',
  security: SECURITY,
  params: messageParams,
  response: {
    204: z.null(),
    ...errorResponses(...KEY_ERRORS, 'inbox_not_found', 'message_not_found', 'content_unavailable'),
  },
}

/** DELETE /v1/inboxes/{id}/messages */
export const deleteMessages = {
  operationId: 'deleteMessages',
  tags: ['Messages'],
  summary: 'Delete all messages of an inbox',
  description: 'The inbox and its watermark stay.',
  security: SECURITY,
  params: inboxParams,
  response: {
    204: z.null(),
    ...errorResponses(...KEY_ERRORS, 'inbox_not_found', 'content_unavailable'),
  },
}

const binary = (contentType: string, description: string) => ({
  description,
  content: {
    [contentType]: { schema: z.custom<Uint8Array>().meta({ type: 'string', format: 'binary' }) },
  },
})

/** GET /v1/inboxes/{id}/messages/{messageId}/attachments/{attachmentId} */
export const readAttachment = {
  operationId: 'readAttachment',
  tags: ['Messages'],
  summary: 'Download an attachment',
  description:
    'Content-Type is the declared type of the attachment, or application/octet-stream when that type is malformed or one that a browser could execute, such as text/html.',
  security: SECURITY,
  params: attachmentParams,
  response: {
    200: binary('*/*', 'The content.'),
    ...errorResponses(
      ...MESSAGE_ERRORS,
      'attachment_not_found',
      'attachment_blocked',
      'attachment_quarantined',
    ),
  },
}

/** GET /v1/inboxes/{id}/messages/{messageId}/raw */
export const readRawMessage = {
  operationId: 'readRawMessage',
  tags: ['Messages'],
  summary: 'Download a raw message',
  description: 'As received, with the Return-Path and Received headers of this service on top.',
  security: SECURITY,
  params: messageParams,
  response: {
    200: binary('message/rfc822', 'The message.'),
    ...errorResponses(...MESSAGE_ERRORS),
  },
}
