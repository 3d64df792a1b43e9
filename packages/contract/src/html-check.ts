import { z } from 'zod'
import { errorResponses } from './error-responses.ts'
import { idSchema, inboxRefSchema } from './id-schema.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

const percent = z.number().min(0).max(100).describe('Percent.')

const clientSchema = z
  .string()
  .describe('Family and platform of a mail client, as caniemail.com names them.')
  .meta({ example: 'outlook.windows' })

const sharesFields = {
  supported: percent.meta({ example: 90.5 }),
  partial: percent.meta({ example: 4.8 }),
  unsupported: percent.meta({ example: 4.7 }),
}

/** Which mail clients support the HTML of a message. */
export const htmlCheckSchema = z
  .object({
    hasHtml: z.boolean().describe('False for a mail without HTML; then there are no results.'),
    dataDate: z.iso.date().describe('The date of the data of caniemail.com.'),
    elementCount: z.int().meta({ example: 120 }),
    featureCount: z
      .int()
      .describe('Features of HTML and CSS that the mail uses.')
      .meta({ example: 21 }),
    support: z
      .object(sharesFields)
      .nullable()
      .describe('The mean of all clients; null without features.'),
    clients: z
      .array(
        z.object({
          client: clientSchema,
          name: z.string().meta({ example: 'Outlook Windows' }),
          ...sharesFields,
        }),
      )
      .describe(
        'For the newest known version of each client: the share of the features in use that it supports. Each feature counts once.',
      ),
    warnings: z
      .array(
        z.object({
          slug: z.string().meta({ example: 'css-display-flex' }),
          title: z.string().meta({ example: 'display:flex' }),
          description: z.string().meta({ example: 'Flexible layout.' }),
          url: z.url().meta({ example: 'https://www.caniemail.com/features/css-display-flex/' }),
          category: z.string().meta({ example: 'css' }),
          found: z.int().describe('How often the mail uses it.').meta({ example: 3 }),
          results: z.array(
            z.object({
              client: clientSchema,
              version: z.string().meta({ example: '2019' }),
              support: z.enum(['partial', 'unsupported']),
              notes: z.array(z.string()).meta({ example: [] }),
            }),
          ),
        }),
      )
      .describe(
        'Features that a client does not fully support. Those with the most such clients come first.',
      ),
  })
  .meta({ id: 'HtmlCheck' })

/** Which mail clients support the HTML of a message. */
export type HtmlCheck = z.infer<typeof htmlCheckSchema>

/** GET /v1/inboxes/{id}/messages/{messageId}/html-check */
export const checkMessageHtml = {
  operationId: 'checkMessageHtml',
  tags: ['Messages'],
  summary: 'Which mail clients support the HTML of a message',
  description:
    'Compares the HTML and CSS that the mail uses with the data of caniemail.com. Nothing is rendered and nothing is fetched.',
  security: SECURITY,
  params: z.object({ id: inboxRefSchema, messageId: idSchema('message') }),
  response: {
    200: htmlCheckSchema,
    ...errorResponses(
      ...KEY_ERRORS,
      'inbox_not_found',
      'message_not_found',
      'shutting_down',
      'content_unavailable',
    ),
  },
}
