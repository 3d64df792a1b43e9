import { z } from 'zod'
import { errorResponses } from './error-responses.ts'
import { idSchema } from './id-schema.ts'

/** Information about the service. */
export const serviceDescriptionSchema = z
  .object({
    version: z.string().meta({ example: '0.1.0' }),
    smtp: z.object({
      host: z.string().meta({ example: '127.0.0.1' }),
      port: z.number().int().meta({ example: 1025 }),
    }),
    catchAllInboxId: idSchema('inbox')
      .nullable()
      .describe(
        'The catch-all inbox that gets mail to unknown addresses and is shown without a key. Null without MAYFLY_CATCH_ALL.',
      ),
    hasExternalAccounts: z
      .boolean()
      .describe('Whether external accounts can be connected: a provider for them is configured.'),
    localKeyFile: z
      .string()
      .nullable()
      .describe(
        'The file that contains a key of the local account, readable by the user who runs the service. Null if there is no local account.',
      ),
  })
  .meta({ id: 'ServiceDescription' })

/** Information about the service. */
export type ServiceDescription = z.infer<typeof serviceDescriptionSchema>

/** GET /v1/service */
export const readService = {
  operationId: 'readService',
  tags: ['Service'],
  summary: 'The service: its version and where it receives mail',
  description: 'Needs no key.',
  response: { 200: serviceDescriptionSchema, ...errorResponses() },
}
