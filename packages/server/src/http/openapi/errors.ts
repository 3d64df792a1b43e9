import { ERRORS, type ErrorCode } from '@mayfly/contract'
import { type Json, type JsonObject, object } from './json.ts'

/** Errors of every operation, wherever in the service they arise. */
const ANY_OPERATION: readonly ErrorCode[] = [
  'invalid_parameter',
  'malformed_request',
  'origin_refused',
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'shutting_down',
  'storage_unavailable',
]

const WITH_PATH_PARAMETERS: readonly ErrorCode[] = ['uri_too_long']

/** Also of operations that ignore their body. */
const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type']

const RESPONSES = '#/components/responses/'

/** Headers that come with a status. */
const HEADERS: Readonly<Record<string, JsonObject>> = {
  401: header('WWW-Authenticate', 'Always `Bearer`.', { type: 'string', const: 'Bearer' }),
  429: header('Retry-After', 'Seconds until a repeat may succeed.', { type: 'integer' }),
  503: header('Retry-After', 'Seconds until a repeat may succeed.', { type: 'integer' }),
}

/** The responses that many operations share, by the name of the component. */
export const SHARED_RESPONSES: JsonObject = Object.fromEntries(
  [...byStatus([...ANY_OPERATION, ...WITH_PATH_PARAMETERS, ...WITH_BODY])].flatMap(
    ([status, codes]) =>
      [codes, codes.filter((code) => !WITH_BODY.includes(code))]
        .filter((some) => some.length > 0)
        .map((some) => [sharedName(some), errorResponse(status, some)]),
  ),
)

/** Adds the errors that an operation has because of its method and its path. */
export function describeErrors(
  responses: JsonObject,
  { path, method }: { readonly path: string; readonly method: string },
): JsonObject {
  // A page for a person has the same statuses, as a page.
  if ('text/html' in object(object(responses['200'])['content'])) return responses
  const codes = [
    ...ANY_OPERATION,
    ...(path.includes('{') ? WITH_PATH_PARAMETERS : []),
    ...(method === 'get' ? [] : WITH_BODY),
  ]
  const described: Record<string, Json> = {}
  for (const [status, response] of Object.entries(responses)) {
    described[status] = withHeaders(status, object(response))
  }
  for (const [status, shared] of byStatus(codes)) {
    const own = responses[status]
    described[status] =
      own === undefined
        ? { $ref: `${RESPONSES}${sharedName(shared)}` }
        : withHeaders(status, withCodes(object(own), shared))
  }
  return described
}

function withCodes(response: JsonObject, codes: readonly ErrorCode[]): JsonObject {
  const own = String(response['description'])
  const missing = codes.filter((code) => !own.includes(`\`${code}\``)).map(errorLine)
  return { ...response, description: [own, ...missing].join('\n\n') }
}

function errorResponse(status: string, codes: readonly ErrorCode[]): JsonObject {
  return withHeaders(status, {
    description: codes.map(errorLine).join('\n\n'),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  })
}

function withHeaders(status: string, response: JsonObject): JsonObject {
  const headers = HEADERS[status]
  return headers === undefined ? response : { ...response, headers }
}

function header(name: string, description: string, schema: JsonObject): JsonObject {
  return { [name]: { description, schema } }
}

function errorLine(code: ErrorCode): string {
  return `\`${code}\`: ${ERRORS[code].message}`
}

/** `invalid_parameter`, `malformed_request` → `InvalidParameterOrMalformedRequest`. */
function sharedName(codes: readonly ErrorCode[]): string {
  const words = codes.join('_or_').split('_')
  return words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('')
}

function byStatus(codes: readonly ErrorCode[]): Map<string, ErrorCode[]> {
  return Map.groupBy(codes, (code) => String(ERRORS[code].status))
}
