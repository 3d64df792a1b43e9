import { z } from 'zod'
import { errorResponses } from './error-responses.ts'
import type { ErrorCode } from './errors.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

/** The kind of provider. */
export const connectionProviderSchema = z.enum(['oidc', 'github'])

/** The kind of provider. */
export type ConnectionProvider = z.infer<typeof connectionProviderSchema>

const TAGS = ['Accounts and keys']

const PAGE = {
  'text/html': { schema: z.string().meta({ example: '<!doctype html><title>Connected</title>' }) },
}

/** The errors of an operation whose responses are pages. */
function errorPages(...codes: readonly ErrorCode[]) {
  const responses = Object.entries(errorResponses(...codes))
  return Object.fromEntries(
    responses.map(([status, { description }]) => [status, { description, content: PAGE }]),
  )
}

const beginConnectionBody = z.strictObject({
  provider: connectionProviderSchema
    .optional()
    .describe('One of the configured providers; by default the first.'),
})

/** POST /v1/account/connection */
export const beginConnection = {
  operationId: 'beginConnection',
  tags: TAGS,
  summary: 'Start to connect an external account',
  description:
    'Admin keys only. Open the returned URL in a browser within 10 minutes and sign in there; the account is then connected and its limits are raised.',
  security: SECURITY,
  // The whole body is optional.
  body: beginConnectionBody.prefault({}),
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
  operationId: 'completeConnection',
  tags: TAGS,
  summary: 'The callback for the provider',
  description: 'Needs no key. Responds with a page that shows the result.',
  // Providers may add parameters; the client library checks those that it reads.
  querystring: z.looseObject({ state: z.string().max(200).optional() }),
  response: {
    200: {
      description: 'The account is connected.',
      content: PAGE,
    },
    ...errorPages(
      'invalid_parameter',
      'connection_attempt_unknown',
      'connection_refused',
      'connection_not_configured',
      'identity_connected',
      'internal_error',
      'identity_provider_unavailable',
    ),
  },
}

/** DELETE /v1/account/connection */
export const deleteConnection = {
  operationId: 'deleteConnection',
  tags: TAGS,
  summary: 'Disconnect the external account',
  description: 'Admin keys only. Restores the previous plan of the account.',
  security: SECURITY,
  response: {
    204: z.null().describe('Disconnected.'),
    ...errorResponses(...KEY_ERRORS, 'admin_required', 'connection_not_found'),
  },
}
