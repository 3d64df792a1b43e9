import { z } from 'zod'
import { errorResponses } from './errors.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

/** Where the connected account is. */
export const connectionProviderSchema = z.enum(['oidc', 'github'])

/** Where the connected account is. */
export type ConnectionProvider = z.infer<typeof connectionProviderSchema>

const TAGS = ['Accounts and keys']

const beginConnectionBody = z.strictObject({
  provider: connectionProviderSchema
    .optional()
    .describe('Which of the configured providers; the first when left out.'),
})

/** POST /v1/account/connection */
export const beginConnection = {
  tags: TAGS,
  summary: 'Begin to connect an external account',
  description:
    'Admin keys only. Open the URL of the answer in a browser within 10 minutes; when you have agreed there, the account is connected and its limits are lifted.',
  security: SECURITY,
  // The whole body may be left out.
  body: z.preprocess((body) => body ?? {}, beginConnectionBody),
  response: {
    200: z.object({
      authorizationUrl: z.string().meta({ example: 'https://id.example.com/auth?client_id=…' }),
    }),
    ...errorResponses(
      'invalid_json',
      'invalid_parameter',
      ...KEY_ERRORS,
      'admin_required',
      'connection_not_configured',
      'identity_connected',
      'identity_provider_unavailable',
    ),
  },
}

/** GET /v1/account/connection/callback */
export const completeConnection = {
  tags: TAGS,
  summary: 'Where the provider sends the browser back to',
  description: 'Needs no key. Answers a page for the person who agreed, whatever came of it.',
  // The provider may add what it likes; only these are read, and the library checks them.
  querystring: z.looseObject({ state: z.string().max(200).optional() }),
  response: {
    200: {
      description: 'The account is connected.',
      content: { 'text/html': { schema: z.string() } },
    },
  },
}

/** DELETE /v1/account/connection */
export const deleteConnection = {
  tags: TAGS,
  summary: 'Disconnect the external account',
  description: 'Admin keys only. The plan is again what it was before.',
  security: SECURITY,
  response: {
    204: z.null().describe('Disconnected.'),
    ...errorResponses(...KEY_ERRORS, 'admin_required', 'connection_not_found'),
  },
}
