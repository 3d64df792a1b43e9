import type { ErrorCode } from './errors.ts'

/** Marks a route in the OpenAPI document as one that needs an API key. */
export const SECURITY: { readonly [name: string]: readonly string[] }[] = [{ apiKey: [] }]

/** The errors of every route that needs a key. */
export const KEY_ERRORS = [
  'missing_api_key',
  'invalid_api_key',
  'wrong_cell',
  'account_moving',
  'requests_per_minute_exceeded',
] as const satisfies ErrorCode[]
