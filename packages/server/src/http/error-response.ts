import { ERRORS, type ErrorCode, joinRules } from '@mayfly/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { ServiceError, StorageUnavailable, storageError } from '../errors.ts'
import { loggedUrl } from './logged-url.ts'

/** Retry-After of a storage failure. */
const STORAGE_RETRY_SECONDS = 2

/** Error codes of Fastify, and the code of the API for each. */
const FASTIFY_ERRORS: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_MAX_PARAM_LENGTH: 'uri_too_long',
}

const PART_NAMES: Readonly<Record<string, string>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'headers',
}

/** Sends the response for anything that was thrown. */
export function respondWithError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { status, headers, body } = errorResponse(publicError(error, request), request.id)
  return reply.code(status).headers(headers).send(body)
}

/** Sends the response for a URL that the router cannot read; no hook runs for such a request. */
export function respondUnroutable(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  return respondWithError(error, request, reply.headers(defaultHeaders(request.id)))
}

/** The error that the client sees: its own errors in full, ours as a bare 500. */
export function publicError(error: FastifyError, request: FastifyRequest): ServiceError {
  const known = toServiceError(error)
  if (known === null || known.code === 'storage_unavailable') {
    const { id: requestId, method } = request
    const url = loggedUrl(request.url)
    request.log.error({ err: error, requestId, method, url }, 'request failed')
  }
  return known ?? new ServiceError('internal_error')
}

/**
 * Headers of every response, unless its route sets others. Responses hold mail and keys, so no
 * cache may keep them; a browser must not guess that JSON with a sender's text is a page.
 */
export function defaultHeaders(requestId: string): Record<string, string> {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }
}

/** The response to an error, in the shape that all errors share. */
export function errorResponse({ code, message, detail }: ServiceError, requestId: string) {
  const { status, type } = ERRORS[code]
  const { retryAfterSeconds, allowedMethods, fields } = detail
  const error = { type, code, message, ...(status === 500 ? { requestId } : {}) }
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' }
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  if (allowedMethods !== undefined) headers['allow'] = allowedMethods.join(', ')
  return { status, headers, body: { error, ...fields } }
}

function toServiceError(error: FastifyError | Error): ServiceError | null {
  if (error instanceof ServiceError) return error
  if (error instanceof StorageUnavailable) {
    return storageError(error, { retryAfterSeconds: STORAGE_RETRY_SECONDS })
  }
  if (hasZodFastifySchemaValidationErrors(error)) return validationError(error)
  const code = 'code' in error ? FASTIFY_ERRORS[error.code] : undefined
  if (code !== undefined) return new ServiceError(code)
  if ('code' in error && error.code === 'FST_ERR_BAD_URL') {
    return new ServiceError('invalid_parameter', {
      message: 'path: must be valid percent-encoding',
    })
  }
  // Any other 400 of Fastify is a malformed HTTP request.
  if ('statusCode' in error && error.statusCode === 400)
    return new ServiceError('malformed_request')
  return null
}

type ValidationError = FastifyError & {
  readonly validation: readonly { readonly instancePath: string; readonly message?: string }[]
}

/** Names the invalid fields and their rules, so that all can be fixed at once. */
function validationError(error: ValidationError): ServiceError {
  const part = PART_NAMES[error.validationContext ?? 'body'] ?? 'body'
  const message = joinRules(error.validation, ({ instancePath, message: rule }) => {
    const field = instancePath.split('/').filter(Boolean).join('.')
    return `${field === '' ? part : field}: ${rule ?? 'is malformed'}`
  })
  return new ServiceError('invalid_parameter', { message })
}
