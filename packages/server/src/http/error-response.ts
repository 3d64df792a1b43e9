import { ERRORS, type ErrorCode, joinRules } from '@mayfly/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { ServiceError, StorageUnavailable } from '../errors.ts'

/** Retry-After of a storage failure. */
const STORAGE_RETRY_SECONDS = 2

/** Error codes of Fastify, and the code of the API for each. */
const FASTIFY_ERRORS: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_json',
}

const PART_NAMES: Readonly<Record<string, string>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'headers',
}

/** Sends the response for anything that was thrown. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  return sendError(publicError(error, request), request, reply)
}

/** The error that the client sees: its own errors in full, ours as a bare 500. */
export function publicError(error: FastifyError, request: FastifyRequest): ServiceError {
  const known = toServiceError(error)
  if (known === null || known.code === 'storage_unavailable') {
    request.log.error({ err: error, method: request.method, url: request.url }, 'request failed')
  }
  return known ?? new ServiceError('internal_error')
}

/** Sends an error in the shape that all errors share. */
export function sendError(error: ServiceError, request: FastifyRequest, reply: FastifyReply) {
  const { status, type } = ERRORS[error.code]
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (error.detail.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(error.detail.retryAfterSeconds))
  }
  const body = { type, code: error.code, message: error.message }
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send({
      error: status === 500 ? { ...body, requestId: request.id } : body,
      ...error.detail.beside,
    })
}

function toServiceError(error: FastifyError | Error): ServiceError | null {
  if (error instanceof ServiceError) return error
  if (error instanceof StorageUnavailable) {
    return new ServiceError('storage_unavailable', { retryAfterSeconds: STORAGE_RETRY_SECONDS })
  }
  if (hasZodFastifySchemaValidationErrors(error)) return validationError(error)
  const code = 'code' in error ? FASTIFY_ERRORS[error.code] : undefined
  if (code !== undefined) return new ServiceError(code, jsonDetail(code, error))
  // Any other 400 of Fastify is a malformed HTTP request.
  if ('statusCode' in error && error.statusCode === 400) return new ServiceError('invalid_json')
  return null
}

/** Adds the message of the parser, which names the position. */
function jsonDetail(code: ErrorCode, error: Error) {
  if (code !== 'invalid_json') return {}
  return { message: `${ERRORS.invalid_json.message} ${error.message}` }
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
