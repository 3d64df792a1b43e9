import { z } from 'zod'
import { dateTimeSchema } from './date-times.ts'
import { errorResponses } from './error-responses.ts'
import { apiKeySchema, keySchema } from './keys.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

const staySignedIn = z.boolean().describe('Whether the session lasts 30 days instead of one.')

/** Longest token that is looked up. */
const TOKEN_LENGTH_MAX = 200

/** POST /v1/sign-in-links */
export const createSignInLink = {
  operationId: 'createSignInLink',
  tags: ['Accounts and keys'],
  summary: 'Create a sign-in link for the dashboard',
  description:
    'Admin keys only. The link opens the dashboard signed in to this account. It works once, within 10 minutes; its token is in the fragment of the URL, which browsers do not send.',
  security: SECURITY,
  response: {
    201: z.object({
      url: z.string().meta({ example: 'http://127.0.0.1:8025/#token=…' }),
      expiresAt: dateTimeSchema,
    }),
    ...errorResponses(...KEY_ERRORS, 'admin_required'),
  },
}

/** POST /v1/sign-in/catch-all */
export const signInWithoutKey = {
  operationId: 'signInWithoutKey',
  tags: ['Accounts and keys'],
  summary: 'Sign in to the local account of a service with catch-all',
  description:
    'Needs no key. Only with MAYFLY_CATCH_ALL=on or open, where anyone who reaches the service can read. Returns the key of a new session with the role `member`.',
  response: {
    201: z.object({ apiKey: apiKeySchema, key: keySchema }),
    ...errorResponses('missing_api_key'),
  },
}

/** POST /v1/sign-in */
export const signIn = {
  operationId: 'signIn',
  tags: ['Accounts and keys'],
  summary: 'Exchange the token of a sign-in link for a key',
  description:
    'Needs no key. Returns the key of a new session, with the name `dashboard`. A session ends after a day, or after 30 days.',
  body: z.strictObject({
    token: z
      .string()
      .min(1)
      .max(TOKEN_LENGTH_MAX)
      .describe('The fragment of the sign-in link, with or without `token=`.')
      .meta({ example: 'token=m3hq8v0w2x4y6z8a0b7f3k2m9q' }),
    staySignedIn: staySignedIn.default(false),
  }),
  response: {
    201: z.object({ apiKey: apiKeySchema, key: keySchema }),
    ...errorResponses('invalid_json', 'invalid_parameter', 'invalid_sign_in_token', 'wrong_cell'),
  },
}

/** PATCH /v1/sign-in */
export const changeSession = {
  operationId: 'changeSession',
  tags: ['Accounts and keys'],
  summary: 'Set how long the calling session lasts from now',
  description: 'For the key of a session, as sign-in returns it.',
  security: SECURITY,
  body: z.strictObject({ staySignedIn }),
  response: {
    200: z.object({ key: keySchema }),
    ...errorResponses('invalid_json', 'invalid_parameter', ...KEY_ERRORS, 'session_not_found'),
  },
}

/** DELETE /v1/sign-in */
export const signOut = {
  operationId: 'signOut',
  tags: ['Accounts and keys'],
  summary: 'End the calling session',
  description: 'For the key of a session, as sign-in returns it.',
  security: SECURITY,
  response: {
    204: z.null().describe('The key of the session is revoked.'),
    ...errorResponses(...KEY_ERRORS, 'session_not_found'),
  },
}
