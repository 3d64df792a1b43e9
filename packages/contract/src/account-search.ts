import { z } from 'zod'
import { MESSAGES_PAGE } from './bounds.ts'
import { dateTimeSchema } from './date-times.ts'
import { errorResponses } from './error-responses.ts'
import { idSchema } from './id-schema.ts'
import { messageSummarySchema } from './messages.ts'
import { cursorSchema, nextCursorSchema, queryInteger } from './query.ts'
import { searchQuerySchema } from './search.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

/** A message that a search has found. */
export const foundMessageSchema = messageSummarySchema
  .extend({ inboxId: idSchema('inbox') })
  .meta({ id: 'FoundMessage' })

/** A message that a search has found. */
export type FoundMessage = z.infer<typeof foundMessageSchema>

/** GET /v1/search */
export const searchMessages = {
  operationId: 'searchMessages',
  tags: ['Messages'],
  summary: 'Search the messages of all inboxes',
  description:
    'Newest first. A page may have fewer messages than `limit`, or none, and still have a `nextCursor`: continue the search with it.',
  security: SECURITY,
  querystring: z.strictObject({
    q: searchQuerySchema,
    cursor: cursorSchema,
    limit: queryInteger(MESSAGES_PAGE),
  }),
  response: {
    200: z.object({
      messages: z.array(foundMessageSchema),
      nextCursor: nextCursorSchema,
      indexedUntil: dateTimeSchema.describe(
        'Messages received before this time are in the index. Of later messages, the newest are searched one by one.',
      ),
    }),
    ...errorResponses('invalid_parameter', ...KEY_ERRORS, 'shutting_down', 'content_unavailable'),
  },
}
