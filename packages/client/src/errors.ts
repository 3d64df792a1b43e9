/** Codes of the service's errors; a newer service may know more. */
export type ErrorCode =
  | 'invalid_json'
  | 'invalid_parameter'
  | 'malformed_request'
  | 'connection_attempt_unknown'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'invalid_sign_in_token'
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
  | 'session_not_found'
  | 'scenario_not_found'
  | 'domain_not_found'
  | 'connection_not_found'
  | 'connection_not_configured'
  | 'webhook_not_found'
  | 'delivery_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'nothing_arrived'
  | 'request_timeout'
  | 'email_registered'
  | 'domain_registered'
  | 'identity_connected'
  | 'address_taken'
  | 'last_admin_key'
  | 'wrong_cell'
  | 'body_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'txt_record_not_found'
  | 'address_reserved'
  | 'monthly_allowance_reached'
  | 'daily_limit_reached'
  | 'requests_per_minute_exceeded'
  | 'concurrent_waits_exceeded'
  | 'registrations_exceeded'
  | 'headers_too_large'
  | 'internal_error'
  | 'shutting_down'
  | 'content_unavailable'
  | 'not_ready'
  | 'dns_unavailable'
  | 'identity_provider_unavailable'
  | 'account_moving'
  | 'storage_unavailable'

/** The base class of every error of this client. */
export class MayflyError extends Error {
  // On the prototype: the stack, made by Error's constructor, then begins with it.
  static {
    MayflyError.prototype.name = 'MayflyError'
  }

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    hideOwnFrames(this)
  }
}

/** The content of an error response. */
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

/** The service responded with an error. Branch on `code`. */
export class ApiError extends MayflyError {
  static {
    ApiError.prototype.name = 'ApiError'
  }

  declare readonly status: number
  declare readonly type: string
  // The intersection keeps completion for known codes and allows new ones.
  declare readonly code: ErrorCode | (string & {})
  /** Identifies the request in the log of the service. */
  declare readonly requestId: string | null
  /** How long to wait before trying again, when the response says so. */
  declare readonly retryAfterSeconds: number | null
  /** The whole body, where it was JSON. */
  declare readonly body: unknown

  constructor({ message, call, ...details }: ApiErrorDetails) {
    const request = details.requestId === null ? '' : `, request ${details.requestId}`
    super(`${message} (${details.status} ${details.code}, ${call}${request})`)
    Object.assign(this, details)
  }
}

/** The service could not be reached, or did not respond in time. */
export class ConnectionError extends MayflyError {
  static {
    ConnectionError.prototype.name = 'ConnectionError'
  }
}

/**
 * The folder of this package as stacks name it: a path in Jest and in CommonJS, a URL in Node.
 * Not by `import.meta`, which CommonJS does not have.
 */
const OWN_FOLDER = /([^\s(]+[/\\])[^/\\]+$/.exec(new Error().stack?.split('\n')[1] ?? '')?.[1]

/** Removes the frames of this package, so that the stack begins at the caller's line. */
function hideOwnFrames(error: Error): void {
  const lines = error.stack?.split('\n') ?? []
  const isFrame = (line: string) => /^\s+at /.test(line)
  const isOwn = (line: string) =>
    (OWN_FOLDER !== undefined && line.includes(OWN_FOLDER)) || line.includes('node:internal/')
  const kept = lines.filter((line) => !(isFrame(line) && isOwn(line)))
  // No frame remains when a bundler put this package and the caller into one file: keep all then.
  if (kept.some(isFrame)) error.stack = kept.join('\n')
}

/**
 * Runs `run`; an error of this package that it throws gets the stack of this call. A test runner
 * calls matchers and hooks in its own time, when the line of the test is no longer on the stack.
 */
export function pointingHere<Args extends readonly unknown[], Result>(
  run: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  const { stack: here = '' } = new MayflyError('')
  return async (...args) => {
    try {
      return await run(...args)
    } catch (error) {
      const frames = here.indexOf('\n    at ')
      if (error instanceof MayflyError && frames >= 0) {
        error.stack = `${error.name}: ${error.message}${here.slice(frames)}`
      }
      throw error
    }
  }
}
