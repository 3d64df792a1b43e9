/** Codes of the service's errors; a newer service may know more. */
export type ErrorCode =
  | 'invalid_json'
  | 'invalid_parameter'
  | 'connection_attempt_unknown'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'admin_required'
  | 'plan_limit'
  | 'connection_refused'
  | 'attachment_blocked'
  | 'attachment_quarantined'
  | 'origin_refused'
  | 'inbox_not_found'
  | 'message_not_found'
  | 'attachment_not_found'
  | 'key_not_found'
  | 'scenario_not_found'
  | 'domain_not_found'
  | 'connection_not_found'
  | 'connection_not_configured'
  | 'webhook_not_found'
  | 'delivery_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'nothing_arrived'
  | 'email_registered'
  | 'domain_registered'
  | 'identity_connected'
  | 'address_taken'
  | 'last_admin_key'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'txt_record_not_found'
  | 'address_reserved'
  | 'monthly_allowance_reached'
  | 'daily_limit_reached'
  | 'requests_per_minute_exceeded'
  | 'concurrent_waits_exceeded'
  | 'registrations_exceeded'
  | 'internal_error'
  | 'shutting_down'
  | 'dns_unavailable'
  | 'identity_provider_unavailable'
  | 'storage_unavailable'

/** Everything that the client throws by itself. */
export class MayflyError extends Error {
  // On the prototype, so that the stack begins with it.
  static {
    MayflyError.prototype.name = 'MayflyError'
  }

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    pointAtCaller(this)
  }
}

/** What an error answer of the service holds. */
export type ApiErrorDetails = {
  readonly status: number
  readonly type: string
  readonly code: string
  readonly message: string
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
  /** The method and path that were called. */
  readonly call: string
  /** The whole body, where it was JSON. */
  readonly body: unknown
}

/** The service answered with an error. Branch on `code`. */
export class ApiError extends MayflyError {
  static {
    ApiError.prototype.name = 'ApiError'
  }

  readonly status: number
  readonly type: string
  // The intersection keeps completion for known codes and leaves room for new ones.
  readonly code: ErrorCode | (string & {})
  /** Finds the request in the log of the service. */
  readonly requestId: string | null
  /** When the service said how long to wait before the next try. */
  readonly retryAfterSeconds: number | null
  /** The whole answer, where it was JSON. */
  readonly body: unknown

  constructor(details: ApiErrorDetails) {
    const request = details.requestId === null ? '' : `, request ${details.requestId}`
    super(`${details.message} (${details.status} ${details.code}, ${details.call}${request})`)
    this.status = details.status
    this.type = details.type
    this.code = details.code
    this.requestId = details.requestId
    this.retryAfterSeconds = details.retryAfterSeconds
    this.body = details.body
  }
}

/** The service could not be reached, or did not answer in time. */
export class ConnectionError extends MayflyError {
  static {
    ConnectionError.prototype.name = 'ConnectionError'
  }
}

/** Without the scheme: Jest writes stacks with paths, Node with URLs. */
const OWN_FOLDER = import.meta.url.replace(/^file:\/\//, '').replace(/[^/]*$/, '')

/** Lets a stack begin at the caller's line: nobody has a use for the lines of this package. */
function pointAtCaller(error: Error): void {
  const lines = error.stack?.split('\n') ?? []
  const isFrame = (line: string) => /^\s+at /.test(line)
  const isOurs = (line: string) => line.includes(OWN_FOLDER) || line.includes('node:internal/')
  const kept = lines.filter((line) => !(isFrame(line) && isOurs(line)))
  // Nothing is left where a bundler made one file of us and the caller: then all are told.
  if (kept.some(isFrame)) error.stack = kept.join('\n')
}
