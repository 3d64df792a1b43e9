import { z } from 'zod'
import { WAIT_SECONDS, WAIT_TEXT_LENGTH_MAX } from './bounds.ts'
import { instantSchema } from './date-times.ts'
import { waitDiagnosticsSchema } from './diagnostics.ts'
import { errorResponses, errorSchema } from './error-responses.ts'
import { inboxRefSchema } from './id-schema.ts'
import { watermarkSchema } from './inboxes.ts'
import { messageSchema, otpSchema } from './messages.ts'
import { otpFormatField } from './otp-format.ts'
import { queryInteger } from './query.ts'
import { searchQuerySchema } from './search.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

/** The `since` parameter of calls that wait. */
export const sinceField = instantSchema
  .optional()
  .describe('Match only messages received at or after this instant.')

const text = z.string().min(1).max(WAIT_TEXT_LENGTH_MAX).optional()

/** Which messages match; texts are matched literally and case-insensitively. */
export const filterFields = {
  from: text.describe("Part of the sender's name or address.").meta({ example: 'no-reply@' }),
  subjectContains: text.describe('Part of the subject.').meta({ example: 'Your code' }),
  textContains: text.describe('Part of the readable text.').meta({ example: 'verification' }),
  q: searchQuerySchema.optional(),
}

/** GET /v1/inboxes/{id}/wait */
export const waitForMessage = {
  operationId: 'waitForMessage',
  tags: ['Messages'],
  summary: 'Wait for a message or a one-time code',
  description:
    'Blocks until a message matches or the time is up. Messages that have already arrived match too; of several, the newest is returned. Texts are matched literally and case-insensitively.',
  security: SECURITY,
  params: z.object({ id: inboxRefSchema }),
  querystring: z.strictObject({
    for: z.enum(['message', 'otp']).default('message'),
    timeoutSeconds: queryInteger(WAIT_SECONDS).describe('0 checks once, without waiting.'),
    since: sinceField,
    after: watermarkSchema.optional(),
    otpFormat: otpFormatField,
    ...filterFields,
  }),
  response: {
    200: z.object({ message: messageSchema, otp: otpSchema.optional() }),
    ...errorResponses(
      'invalid_parameter',
      ...KEY_ERRORS,
      'inbox_not_found',
      'concurrent_waits_exceeded',
      'shutting_down',
      'content_unavailable',
    ),
    408: {
      description: '`nothing_arrived`: Nothing matching arrived in time.',
      content: {
        'application/json': {
          schema: errorSchema.extend({
            diagnostics: waitDiagnosticsSchema
              .optional()
              .describe('Missing only with `request_timeout`.'),
          }),
        },
      },
    },
  },
}
