import { z } from 'zod'
import { dateTimeSchema } from './date-times.ts'
import { errorResponses } from './error-responses.ts'
import { idSchema, inboxRefSchema } from './id-schema.ts'
import { inboxStateSchema } from './inboxes.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

/** The stages of receiving and delivering a mail, and the states of its inbox. */
export const stageSchema = z.enum([
  'inbox.created',
  'smtp.accepted',
  'smtp.refused',
  'provider.accepted',
  'provider.refused',
  'message.stored',
  'otp.detected',
  'webhook.delivered',
  'webhook.failed',
  'inbox.expired',
  'inbox.suspended',
  'near.miss',
  'fault.injected',
])

/** The stage of a diagnostic event. */
export type Stage = z.infer<typeof stageSchema>

/** A diagnostic event. */
export const diagnosticEventSchema = z
  .object({
    stage: stageSchema,
    at: dateTimeSchema,
    detail: z.string().nullable().meta({ example: 'from no-reply@example.com' }),
  })
  .meta({ id: 'DiagnosticEvent' })

/** A diagnostic event. */
export type DiagnosticEvent = z.infer<typeof diagnosticEventSchema>

const diagnosticsFields = {
  state: inboxStateSchema,
  events: z.array(diagnosticEventSchema).describe('Oldest first; the newest 500.'),
  domain: z.object({
    domain: z.string().meta({ example: 'mayfly.test' }),
    status: z.string().meta({ example: 'active' }),
  }),
  nextSteps: z
    .array(z.string())
    .describe('What to do next.')
    .meta({ example: ['Nothing has connected yet. Check the SMTP host and port of the sender.'] }),
}

/** What happened in an inbox, and what to do about a missing mail. */
export const diagnosticsSchema = z.object(diagnosticsFields).meta({ id: 'Diagnostics' })

/** What happened in an inbox, and what to do about a missing mail. */
export type Diagnostics = z.infer<typeof diagnosticsSchema>

/** The diagnostics of a wait that ended without a match. */
export const waitDiagnosticsSchema = z
  .object({
    ...diagnosticsFields,
    considered: z
      .array(
        z.object({
          id: idSchema('message'),
          subject: z.string().nullable(),
          receivedAt: dateTimeSchema,
          reason: z.string().meta({ example: 'its subject does not contain "Welcome"' }),
        }),
      )
      .describe('Messages in the inbox that did not match, each with the reason.'),
  })
  .meta({ id: 'WaitDiagnostics' })

/** The diagnostics of a wait that ended without a match. */
export type WaitDiagnostics = z.infer<typeof waitDiagnosticsSchema>

/** GET /v1/inboxes/{id}/diagnostics */
export const readDiagnostics = {
  operationId: 'readDiagnostics',
  tags: ['Diagnostics'],
  summary: 'Why a mail did not arrive',
  security: SECURITY,
  params: z.object({ id: inboxRefSchema }),
  response: { 200: diagnosticsSchema, ...errorResponses(...KEY_ERRORS, 'inbox_not_found') },
}

/** GET /v1/inboxes/{id}/messages/{messageId}/transcript */
export const readTranscript = {
  operationId: 'readTranscript',
  tags: ['Diagnostics'],
  summary: 'The SMTP dialogue of a message',
  security: SECURITY,
  params: z.object({ id: inboxRefSchema, messageId: idSchema('message') }),
  response: {
    200: z.object({
      lines: z
        .array(z.string())
        .describe('`C:` is the client, `S:` is Mayfly.')
        .meta({ example: ['S: 220 mx.mayfly.test', 'C: EHLO app.example.com'] }),
    }),
    ...errorResponses(...KEY_ERRORS, 'inbox_not_found', 'message_not_found'),
  },
}
