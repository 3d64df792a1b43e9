import { ApiError, ConnectionError } from './errors.ts'
import { plain } from './quote.ts'

/** How the service is reached. */
export type Connection = {
  readonly baseUrl: string
  readonly apiKey: string | null
  readonly fetch: typeof fetch
}

/** Options of every call. */
export type CallOptions = {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** One call to the service. */
export type Call = CallOptions & {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Query parameters; undefined ones are omitted. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Longest time to a response. */
  readonly timeoutMs?: number
}

/** A successful response. */
export type CallResponse = {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly headers: Headers
}

/** A working service responds in milliseconds; after this an error helps a test more. */
export const RESPONSE_MS_MAX = 30_000

/** Most that is shown of a response of another program, such as a proxy's error page. */
const EXCERPT_LENGTH_MAX = 200

/** Sends a call once. Throws ApiError for an error response, ConnectionError for none. */
export async function sendOnce(connection: Connection, call: Call): Promise<CallResponse> {
  call.signal?.throwIfAborted()
  const timeout = AbortSignal.timeout(call.timeoutMs ?? RESPONSE_MS_MAX)
  const signal = AbortSignal.any([call.signal ?? timeout, timeout])
  try {
    const { fetch } = connection
    const response = await fetch(callUrl(connection, call), {
      method: call.method,
      headers: callHeaders(connection, call),
      signal,
      body: JSON.stringify(call.body),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (response.ok) return { bytes, headers: response.headers }
    throw apiError(response, new TextDecoder().decode(bytes), call)
  } catch (error) {
    if (error instanceof ApiError) throw error
    call.signal?.throwIfAborted()
    throw connectionError(connection, { error, isLate: timeout.aborted })
  }
}

/** The URL of a call. */
export function callUrl({ baseUrl }: Connection, { path, query = {} }: Call): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  const search = parameters.size === 0 ? '' : `?${parameters}`
  return `${baseUrl.replace(/\/+$/, '')}${path}${search}`
}

/** The headers of a call. */
export function callHeaders(
  { apiKey }: Connection,
  { body, headers }: Call,
): Record<string, string> {
  return {
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  }
}

/** The error of a response. */
export function apiError(response: Response, text: string, call: Call): ApiError {
  const body = parseJson(text)
  const error = property(body, 'error')
  const field = (name: string): string | null => {
    const value = property(error, name)
    return typeof value === 'string' ? value : null
  }
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError({
    status: response.status,
    type: field('type') ?? 'unexpected',
    code: field('code') ?? 'unexpected_response',
    message: field('message') ?? unexpectedResponse(text),
    requestId: field('requestId') ?? response.headers.get('x-request-id'),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
    call: `${call.method} ${call.path}`,
    body,
  })
}

/** The message for a response of another program. */
export function unexpectedResponse(text: string): string {
  const excerpt = plain(text.replace(/\s+/g, ' ').trim(), EXCERPT_LENGTH_MAX)
  return `This response is not from Mayfly: "${excerpt}". Check the base URL.`
}

/** The error of a call without a response. */
export function connectionError(
  { baseUrl }: Connection,
  { error, isLate }: { readonly error: unknown; readonly isLate: boolean },
): ConnectionError {
  if (isLate) {
    return new ConnectionError(`Mayfly at ${baseUrl} did not respond in time.`, { cause: error })
  }
  const reason = reasonOf(error)
  return new ConnectionError(
    `Mayfly at ${baseUrl} cannot be reached: ${reason}. Is it running (npm start in the folder of Mayfly)? Is the base URL right (option baseUrl, variable MAYFLY_BASE_URL)?`,
    { cause: error },
  )
}

function reasonOf(error: unknown): string {
  // Node's own message is only "fetch failed"; the cause has the reason.
  const cause = property(error, 'cause')
  if (property(cause, 'name') === 'HTTPParserError')
    return 'it does not speak HTTP (is this the port of SMTP?)'
  const reasons = [property(cause, 'code'), property(cause, 'message'), property(error, 'message')]
  const found = reasons.find((text) => typeof text === 'string' && text !== '') ?? String(error)
  return found === 'bad port' ? 'fetch blocks this port (bad port)' : String(found)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A property of anything; undefined when it has none of that name. */
export function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
