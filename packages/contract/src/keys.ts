import { z } from 'zod'
import { dateTimeSchema } from './date-times.ts'
import { errorResponses } from './error-responses.ts'
import { idSchema } from './id-schema.ts'
import { nameSchema } from './rules.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

/** The environment of a key; records are shared between environments, usage is separate. */
export const environmentSchema = z.enum(['live', 'test'])

/** The environment of a key. */
export type Environment = z.infer<typeof environmentSchema>

/** The role of a key: only admin keys create and revoke keys and register domains. */
export const roleSchema = z.enum(['admin', 'member'])

/** The role of a key. */
export type Role = z.infer<typeof roleSchema>

/** A key without its secret. */
export const keySchema = z
  .object({
    id: idSchema('key'),
    name: z.string().meta({ example: 'CI' }),
    environment: environmentSchema,
    role: roleSchema,
    prefix: z
      .string()
      .describe('The beginning of the secret, to recognise the key.')
      .meta({ example: 'mf_live_7f3k' }),
    createdAt: dateTimeSchema,
    lastUsedAt: dateTimeSchema.nullable(),
    expiresAt: dateTimeSchema
      .nullable()
      .describe('When a session of the dashboard ends. Null for a key, which does not expire.'),
  })
  .meta({ id: 'Key' })

/** A key without its secret. */
export type Key = z.infer<typeof keySchema>

/** The secret of a new key. */
export const apiKeySchema = z
  .string()
  .describe('The secret, shown only once.')
  .meta({ example: 'mf_live_7f3k2m9q4s6t8v0w2x4y6z8a0b' })

const issuedKey = z.object({
  apiKey: apiKeySchema,
  key: keySchema,
})

/** POST /v1/keys */
export const createKey = {
  operationId: 'createKey',
  tags: ['Accounts and keys'],
  summary: 'Create a named key',
  description: 'Admin keys only.',
  security: SECURITY,
  body: z.strictObject({
    name: nameSchema.meta({ example: 'CI' }),
    environment: environmentSchema.default('live'),
    role: roleSchema.default('member'),
  }),
  response: {
    201: issuedKey,
    ...errorResponses('invalid_json', 'invalid_parameter', ...KEY_ERRORS, 'admin_required'),
  },
}

/** GET /v1/keys */
export const listKeys = {
  operationId: 'listKeys',
  tags: ['Accounts and keys'],
  summary: 'List the active keys',
  description: 'Signed-in browsers are listed apart, as `sessions`.',
  security: SECURITY,
  response: {
    200: z.object({ keys: z.array(keySchema), sessions: z.array(keySchema) }),
    ...errorResponses(...KEY_ERRORS),
  },
}

/** POST /v1/keys/rotate */
export const rotateKey = {
  operationId: 'rotateKey',
  tags: ['Accounts and keys'],
  summary: 'Rotate the calling key',
  description:
    'Returns a new secret. The old one stops working at once; id, name, role and environment stay.',
  security: SECURITY,
  response: { 200: issuedKey, ...errorResponses(...KEY_ERRORS) },
}

/** DELETE /v1/keys/{id} */
export const revokeKey = {
  operationId: 'revokeKey',
  tags: ['Accounts and keys'],
  summary: 'Revoke a key',
  description: 'Admin keys only. The key stops working at once.',
  security: SECURITY,
  params: z.object({ id: idSchema('key') }),
  response: {
    204: z.null().describe('Revoked.'),
    ...errorResponses(...KEY_ERRORS, 'admin_required', 'key_not_found', 'last_admin_key'),
  },
}
