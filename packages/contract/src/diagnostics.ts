import { z } from 'zod'
import { errorResponses } from './errors.ts'
import { dateTimeSchema, idSchema } from './ids.ts'
import { inboxStateSchema } from './inboxes.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

/** The stages of a mail's way, as they are observed. */
export const stageSchema = z.enum([
  'inbox.created',
  'smtp.accepted',
  'smtp.refused',
  'message.stored',
  'otp.detected',
  'webhook.delivered',
  'webhook.failed',
  'inbox.expired',
  'inbox.suspended',
  'near.miss',
])

/** A stage of a mail's way. */
export type Stage = z.infer<typeof stageSchema>

/** Something that was observed. */
export const diagnosticEventSchema = z
  .object({ stage: stageSchema, at: dateTimeSchema, detail: z.string().nullable() })
  .meta({ id: 'DiagnosticEvent' })

/** Something that was observed. */
export type DiagnosticEvent = z.infer<typeof diagnosticEventSchema>

const diagnosticsFields = {
  state: inboxStateSchema,
  events: z.array(diagnosticEventSchema).describe('Oldest first; the newest 500.'),
  domain: z.object({ domain: z.string(), status: z.string() }),
  nextSteps: z.array(z.string()).describe('What to do now, following from what was seen.'),
}

/** Where a missing mail may have got stuck. */
export const diagnosticsSchema = z.object(diagnosticsFields).meta({ id: 'Diagnostics' })

/** Where a missing mail may have got stuck. */
export type Diagnostics = z.infer<typeof diagnosticsSchema>

/** The same for a wait that ended without a message. */
export const waitDiagnosticsSchema = z
  .object({
    ...diagnosticsFields,
    considered: z
      .array(
        z.object({
          id: idSchema('message'),
          subject: z.string().nullable(),
          receivedAt: dateTimeSchema,
          reason: z.string(),
        }),
      )
      .describe('Messages that are there, and why each did not count.'),
  })
  .meta({ id: 'WaitDiagnostics' })

/** The same for a wait that ended without a message. */
export type WaitDiagnostics = z.infer<typeof waitDiagnosticsSchema>

/** GET /v1/inboxes/{id}/diagnostics */
export const readDiagnostics = {
  tags: ['Diagnostics'],
  summary: 'Why a mail did not come',
  security: SECURITY,
  params: z.object({ id: idSchema('inbox') }),
  response: { 200: diagnosticsSchema, ...errorResponses(...KEY_ERRORS, 'inbox_not_found') },
}

/** GET /v1/inboxes/{id}/messages/{messageId}/transcript */
export const readTranscript = {
  tags: ['Diagnostics'],
  summary: 'The SMTP dialogue that brought a message',
  security: SECURITY,
  params: z.object({ id: idSchema('inbox'), messageId: idSchema('message') }),
  response: {
    200: z.object({
      lines: z.array(z.string()).describe('`C:` is the client, `S:` is Mayfly.'),
    }),
    ...errorResponses(...KEY_ERRORS, 'inbox_not_found', 'message_not_found'),
  },
}

/** GET /v1/inboxes/{id}/events */
export const streamEvents = {
  tags: ['Diagnostics'],
  summary: 'Arrivals and stages as they happen',
  description:
    'Server-Sent Events: `message` with a MessageSummary, `stage` with a DiagnosticEvent. Without `Last-Event-ID` the stream begins now; with it, after that event.',
  security: SECURITY,
  params: z.object({ id: idSchema('inbox') }),
  headers: z.object({ 'last-event-id': z.string().max(100).optional() }),
  response: {
    200: {
      description: 'The stream; it ends when the inbox is deleted or the service stops.',
      content: { 'text/event-stream': { schema: z.string() } },
    },
    ...errorResponses(...KEY_ERRORS, 'inbox_not_found'),
  },
}
