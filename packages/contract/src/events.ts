import { z } from 'zod'
import { dateTimeSchema } from './date-times.ts'
import { diagnosticEventSchema } from './diagnostics.ts'
import { errorResponses } from './error-responses.ts'
import { idSchema, inboxRefSchema } from './id-schema.ts'
import { inboxSchema } from './inboxes.ts'
import { messageSummarySchema } from './messages.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'
import { deliverySchema } from './webhooks.ts'

/** An open wait of a client. */
export const heldWaitSchema = z
  .object({
    id: z.string(),
    inboxId: idSchema('inbox'),
    for: z.enum(['message', 'otp']),
    deadline: dateTimeSchema.describe('When it ends at the latest.'),
  })
  .meta({ id: 'HeldWait' })

/** An open wait of a client. */
export type HeldWait = z.infer<typeof heldWaitSchema>

const inboxId = idSchema('inbox')
const inbox = inboxSchema
  .pick({ messageCount: true, unreadCount: true })
  .describe('The numbers of the inbox with this change.')
const ofMessage = { inboxId, inbox, message: messageSummarySchema }
const ofWait = { wait: heldWaitSchema }

/** The data of each event of an account's stream, by its type. */
export const accountEventSchemas = {
  reset: z.object({
    reason: z
      .enum(['not_resumable', 'too_slow', 'connection_lost'])
      .describe('Why events may be missing. Load again what you show.'),
  }),
  'message.received': z.object(ofMessage),
  'message.updated': z.object(ofMessage),
  'message.deleted': z.object({ inboxId, inbox, messageIds: z.array(idSchema('message')) }),
  'inbox.created': z.object({ inbox: inboxSchema }),
  'inbox.deleted': z.object({ inboxId }),
  'inbox.expired': z.object({ inboxId }),
  diagnostics: z.object({ inboxId, event: diagnosticEventSchema }),
  'delivery.updated': z.object({ delivery: deliverySchema }),
  'wait.started': z.object(ofWait),
  'wait.ended': z.object(ofWait),
} as const

/** The types of events of an account's stream. */
export type AccountEventType = keyof typeof accountEventSchemas

/** An event of an account's stream: its type and its data. */
export type AccountEvent = {
  [Type in AccountEventType]: { readonly type: Type } & Readonly<
    z.infer<(typeof accountEventSchemas)[Type]>
  >
}[AccountEventType]

const DESCRIPTION = `Server-Sent Events of the whole account, on one connection, or with \`inbox\` those of one inbox. The data of each event is a JSON object:

| event | data |
|---|---|
| \`message.received\`, \`message.updated\` | \`inboxId\`, \`inbox\` (\`messageCount\` and \`unreadCount\` with this change), \`message\` (MessageSummary); updated when it is marked as read or unread, and when its sender or an attachment was checked |
| \`message.deleted\` | \`inboxId\`, \`inbox\`, \`messageIds\`; also when a catch-all inbox drops its oldest for newer ones |
| \`inbox.created\` | \`inbox\` |
| \`inbox.deleted\`, \`inbox.expired\` | \`inboxId\` |
| \`diagnostics\` | \`inboxId\`, \`event\` (DiagnosticEvent): a refusal, an injected fault, a near miss, a suspension |
| \`delivery.updated\` | \`delivery\`, after each attempt |
| \`wait.started\`, \`wait.ended\` | \`wait\`: \`id\`, \`inboxId\`, \`for\`, \`deadline\`; waits that are open when the stream begins are sent first |
| \`reset\` | \`reason\`: events may be missing; load again what you show |

Without \`Last-Event-ID\` the stream begins now. With it, the stream continues after that event if the node that sent it still has the events that followed. A node keeps the last 1,000 events, until a minute after the account's last stream closed. Otherwise the first event is \`reset\`. An open stream counts as a concurrent wait; an account without a limit of concurrent waits may have 100 streams.`

/** GET /v1/events */
export const streamAccountEvents = {
  operationId: 'streamAccountEvents',
  tags: ['Events'],
  summary: 'Stream the events of the account, or of one inbox',
  description: DESCRIPTION,
  security: SECURITY,
  querystring: z.strictObject({
    inbox: inboxRefSchema.optional().describe('Only the events of this inbox, and `reset`.'),
  }),
  headers: z.object({ 'last-event-id': z.string().max(100).optional() }),
  response: {
    200: {
      description:
        'The stream; it ends when the key is revoked or rotated, the account is suspended, the service stops, or after `inbox.deleted` with `inbox`.',
      content: { 'text/event-stream': { schema: z.string() } },
    },
    ...errorResponses(
      ...KEY_ERRORS,
      'inbox_not_found',
      'concurrent_waits_exceeded',
      'shutting_down',
    ),
  },
}
