// No schemas here: threads that have no API load this table, and not zod.

/** An entry of the table of errors. */
export type ErrorEntry = {
  readonly status: number
  readonly type: string
  /** What happened and what to do next, for a person. */
  readonly message: string
}

/** Every error response of the service. `docs/errors.md` is generated from this table. */
export const ERRORS = {
  invalid_json: {
    status: 400,
    type: 'invalid_request',
    message: 'The body is not valid JSON.',
  },
  invalid_parameter: {
    status: 400,
    type: 'invalid_request',
    message: 'A parameter is invalid; the message names it and the rule.',
  },
  malformed_request: {
    status: 400,
    type: 'invalid_request',
    message: 'This is not a valid HTTP request.',
  },
  connection_attempt_unknown: {
    status: 400,
    type: 'invalid_request',
    message: 'This attempt to connect was used already or is older than 10 minutes. Start again.',
  },
  missing_api_key: {
    status: 401,
    type: 'authentication',
    message: 'Send your API key as "Authorization: Bearer <API_KEY>".',
  },
  invalid_api_key: {
    status: 401,
    type: 'authentication',
    message:
      'This API key is unknown or was revoked. If you lost your key: on the machine of the service, `mayfly open` signs you in; elsewhere, ask the operator for a new key (`mayfly admin give-key EMAIL`).',
  },
  invalid_sign_in_token: {
    status: 401,
    type: 'authentication',
    message:
      'This sign-in link was used already or is older than 10 minutes. Create a new one with `mayfly open`, or sign in with an API key.',
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
    message: 'The provider did not confirm who you are. Start again.',
  },
  attachment_blocked: {
    status: 403,
    type: 'permission',
    message: 'This attachment is an executable or a script; such files cannot be downloaded.',
  },
  attachment_quarantined: {
    status: 403,
    type: 'permission',
    message: 'This attachment is quarantined: it contains malware, or it has not been scanned yet.',
  },
  origin_refused: {
    status: 403,
    type: 'permission',
    message: 'The Host or Origin header does not name this service. Use the host of its base URL.',
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
  session_not_found: {
    status: 404,
    type: 'not_found',
    message: 'The calling key is not that of a session of the dashboard.',
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
    message: 'The operator of this service has not configured a provider of external accounts.',
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
    message: 'This path does not exist. GET /openapi.json lists all paths under /v1.',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request',
    message:
      'This path does not support this method; the Allow header lists those that it supports.',
  },
  nothing_arrived: {
    status: 408,
    type: 'timeout',
    message:
      'Nothing matching arrived in time. `diagnostics` shows what did arrive and what to do next.',
  },
  request_timeout: {
    status: 408,
    type: 'timeout',
    message: 'The request did not arrive completely in time. Send it again.',
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
    message:
      'This external account is connected to another account, or your account already has one.',
  },
  address_taken: {
    status: 409,
    type: 'conflict',
    message: 'This address is taken, or another account released it less than 30 days ago.',
  },
  last_admin_key: {
    status: 409,
    type: 'conflict',
    message:
      'This is the last admin key of the account; without one, no more keys can be created. Create another admin key first, or rotate this one.',
  },
  wrong_cell: {
    status: 421,
    type: 'misdirected',
    message:
      'The key or the sign-in link belongs to another cell of the service, which `cell` names. The proxy in front sent the request to the wrong one.',
  },
  body_too_large: {
    status: 413,
    type: 'invalid_request',
    message: 'The body is larger than 256 KiB.',
  },
  uri_too_long: {
    status: 414,
    type: 'invalid_request',
    message: 'A part of the path is longer than any id or name. Check the URL.',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request',
    message: 'Send the body as JSON with "Content-Type: application/json".',
  },
  txt_record_not_found: {
    status: 422,
    type: 'unprocessable',
    message:
      'The TXT record of this domain was not found. A new record may take a while to become visible.',
  },
  address_reserved: {
    status: 422,
    type: 'unprocessable',
    message: 'This local part is reserved for the operator of the domain. Choose another one.',
  },
  monthly_allowance_reached: {
    status: 429,
    type: 'rate_limit',
    message: 'The monthly allowance of inboxes is used up. It resets on the 1st, UTC.',
  },
  daily_limit_reached: {
    status: 429,
    type: 'rate_limit',
    message: 'The daily limit of inboxes is reached. It resets at midnight, UTC.',
  },
  requests_per_minute_exceeded: {
    status: 429,
    type: 'rate_limit',
    message: 'The limit of requests per minute is reached. Try again after Retry-After seconds.',
  },
  concurrent_waits_exceeded: {
    status: 429,
    type: 'rate_limit',
    message: 'The limit of concurrent waits is reached. Try again when one has ended.',
  },
  registrations_exceeded: {
    status: 429,
    type: 'rate_limit',
    message: 'Too many accounts were registered from your address within an hour.',
  },
  headers_too_large: {
    status: 431,
    type: 'invalid_request',
    message: 'The URL and the headers are larger than 16 KiB in total.',
  },
  internal_error: {
    status: 500,
    type: 'internal',
    message:
      'An internal error occurred. The log of the service has the details under the request id.',
  },
  shutting_down: {
    status: 503,
    type: 'unavailable',
    message: 'The service is stopping. Try again in a moment.',
  },
  content_unavailable: {
    status: 503,
    type: 'unavailable',
    message: 'The content of this mail could not be read in time. Try again in a minute.',
  },
  dns_unavailable: {
    status: 503,
    type: 'unavailable',
    message: 'The DNS servers did not respond. Nothing was changed; try again.',
  },
  identity_provider_unavailable: {
    status: 503,
    type: 'unavailable',
    message: 'The provider of external accounts does not respond. Try again in a moment.',
  },
  not_ready: {
    status: 503,
    type: 'unavailable',
    message: 'This node is not ready; `checks` names the checks that fail.',
  },
  account_moving: {
    status: 503,
    type: 'unavailable',
    message: 'The account is being moved to another cell. Try again in a moment.',
  },
  storage_unavailable: {
    status: 503,
    type: 'unavailable',
    message:
      'The storage does not respond. The message says whether nothing was changed, or a change may have been made.',
  },
} as const satisfies Record<string, ErrorEntry>

/** The `code` of an error. */
export type ErrorCode = keyof typeof ERRORS
