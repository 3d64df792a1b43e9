import { z } from 'zod'

/** One row of the table of errors. */
export type ErrorEntry = {
  readonly status: number
  readonly type: string
  /** What happened and what to do next, for a person. */
  readonly message: string
}

/** Every error that the service answers with. `docs/errors.md` is written from this table. */
export const ERRORS = {
  invalid_json: {
    status: 400,
    type: 'invalid_request',
    message: 'The body is not valid JSON.',
  },
  invalid_parameter: {
    status: 400,
    type: 'invalid_request',
    message: 'A parameter breaks a rule; the message names both.',
  },
  connection_attempt_unknown: {
    status: 400,
    type: 'invalid_request',
    message: 'This attempt to connect was used already, or is older than 10 minutes. Begin anew.',
  },
  missing_api_key: {
    status: 401,
    type: 'authentication',
    message: 'Send your API key as "Authorization: Bearer <API_KEY>".',
  },
  invalid_api_key: {
    status: 401,
    type: 'authentication',
    message: 'This API key is unknown or was revoked.',
  },
  admin_required: {
    status: 403,
    type: 'permission',
    message: 'Only a key with the role admin may do this.',
  },
  plan_limit: {
    status: 403,
    type: 'permission',
    message: 'The plan of this account does not include this.',
  },
  connection_refused: {
    status: 403,
    type: 'permission',
    message: 'The provider did not confirm who you are. Begin anew.',
  },
  attachment_blocked: {
    status: 403,
    type: 'permission',
    message: 'This attachment is an executable or a script; such files are not handed out.',
  },
  attachment_quarantined: {
    status: 403,
    type: 'permission',
    message: 'This attachment is held back: malware was found in it, or it could not be scanned.',
  },
  origin_refused: {
    status: 403,
    type: 'permission',
    message:
      'The Host or Origin header names a place that is not this service. Call it by the name in its base URL.',
  },
  inbox_not_found: {
    status: 404,
    type: 'not_found',
    message: 'Your account has no such inbox.',
  },
  message_not_found: {
    status: 404,
    type: 'not_found',
    message: 'This inbox has no such message.',
  },
  attachment_not_found: {
    status: 404,
    type: 'not_found',
    message: 'This message has no such attachment.',
  },
  key_not_found: {
    status: 404,
    type: 'not_found',
    message: 'Your account has no such key.',
  },
  scenario_not_found: {
    status: 404,
    type: 'not_found',
    message: 'Your account has no such scenario.',
  },
  domain_not_found: {
    status: 404,
    type: 'not_found',
    message: 'Your account has no such domain.',
  },
  connection_not_found: {
    status: 404,
    type: 'not_found',
    message: 'No external account is connected to your account.',
  },
  connection_not_configured: {
    status: 404,
    type: 'not_found',
    message: 'The operator of this service has not set up any provider of external accounts.',
  },
  webhook_not_found: {
    status: 404,
    type: 'not_found',
    message: 'Your account has no such webhook.',
  },
  delivery_not_found: {
    status: 404,
    type: 'not_found',
    message: 'Your account has no such delivery.',
  },
  route_not_found: {
    status: 404,
    type: 'not_found',
    message: 'There is nothing at this path. GET /openapi.json lists every path.',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request',
    message: 'This path does not take this method; the Allow header names those that it takes.',
  },
  nothing_arrived: {
    status: 408,
    type: 'timeout',
    message:
      'Nothing matching arrived in time. `diagnostics` tells what did arrive and what to do next.',
  },
  email_registered: {
    status: 409,
    type: 'conflict',
    message: 'An account with this email exists already.',
  },
  domain_registered: {
    status: 409,
    type: 'conflict',
    message: 'This domain is already registered.',
  },
  identity_connected: {
    status: 409,
    type: 'conflict',
    message: 'This external account is connected to another account, or yours has one already.',
  },
  address_taken: {
    status: 409,
    type: 'conflict',
    message: 'This address is taken, or another account gave it up less than 30 days ago.',
  },
  last_admin_key: {
    status: 409,
    type: 'conflict',
    message:
      'This is the last admin key of the account: without it nobody could make keys again. Create another admin key first, or rotate this one.',
  },
  body_too_large: {
    status: 413,
    type: 'invalid_request',
    message: 'The body is larger than 256 KiB.',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request',
    message: 'Send the body as JSON with "Content-Type: application/json".',
  },
  txt_record_not_found: {
    status: 422,
    type: 'unprocessable',
    message: 'The TXT record of this domain was not found yet. A new record may take a while.',
  },
  address_reserved: {
    status: 422,
    type: 'unprocessable',
    message: 'This local part is reserved for the operator of the domain. Choose another one.',
  },
  monthly_allowance_reached: {
    status: 429,
    type: 'rate_limit',
    message: 'The inboxes of this month are used up. The allowance resets on the 1st, UTC.',
  },
  daily_limit_reached: {
    status: 429,
    type: 'rate_limit',
    message: 'The inboxes of today are used up. The limit resets at midnight, UTC.',
  },
  requests_per_minute_exceeded: {
    status: 429,
    type: 'rate_limit',
    message: 'The requests of this minute are used up. Retry-After tells when the next begins.',
  },
  concurrent_waits_exceeded: {
    status: 429,
    type: 'rate_limit',
    message: 'All concurrent waits of this account are held. Try again when one has ended.',
  },
  registrations_exceeded: {
    status: 429,
    type: 'rate_limit',
    message: 'Too many accounts were registered from your address within an hour.',
  },
  internal_error: {
    status: 500,
    type: 'internal',
    message: 'Something broke on our side. The request id in the answer finds it in the log.',
  },
  shutting_down: {
    status: 503,
    type: 'unavailable',
    message: 'The service is stopping. Try again in a moment.',
  },
  dns_unavailable: {
    status: 503,
    type: 'unavailable',
    message: 'The DNS servers did not answer, so nothing is known. Nothing was changed; try again.',
  },
  identity_provider_unavailable: {
    status: 503,
    type: 'unavailable',
    message: 'The provider of external accounts does not answer right now. Try again in a moment.',
  },
  storage_unavailable: {
    status: 503,
    type: 'unavailable',
    message: 'The storage does not answer right now. Nothing was changed; try again in a moment.',
  },
} as const satisfies Record<string, ErrorEntry>

/** The `code` of an error. */
export type ErrorCode = keyof typeof ERRORS

/** The body of every error. */
export const errorSchema = z
  .object({
    error: z.object({
      type: z.string(),
      code: z.string(),
      message: z.string(),
      requestId: z.string().optional(),
    }),
  })
  .meta({
    id: 'Error',
    example: {
      error: {
        type: 'not_found',
        code: 'inbox_not_found',
        message: 'Your account has no such inbox.',
        requestId: 'req-1',
      },
    },
  })

type ErrorStatus = (typeof ERRORS)[ErrorCode]['status']

/** The responses that a route may give beside its own: one entry a status, naming the codes. */
export function errorResponses<Code extends ErrorCode>(...codes: readonly Code[]) {
  const byStatus: Partial<Record<ErrorStatus, ErrorResponse>> = {}
  for (const code of codes) {
    const { status, message } = ERRORS[code]
    const earlier = byStatus[status]?.description
    const line = `\`${code}\`: ${message}`
    byStatus[status] = {
      description: earlier === undefined ? line : `${earlier}\n\n${line}`,
      content: { 'application/json': { schema: errorSchema } },
    }
  }
  // The keys are exactly the statuses of the codes given, which a loop cannot tell the compiler.
  return byStatus as Record<(typeof ERRORS)[Code]['status'], ErrorResponse>
}

/** One documented error response. */
export type ErrorResponse = {
  readonly description: string
  readonly content: { readonly 'application/json': { readonly schema: typeof errorSchema } }
}
