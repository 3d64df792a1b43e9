// Why a call is refused outside its provider's file.

import { ERRORS, type InboxId } from '@mayfly/contract'
import { ServiceError, StorageUnavailable, storageError } from '../errors.ts'
import type { Log } from '../platform/log.ts'
import type { Answer, Provider, Refusal } from './provider.ts'
import { findRoute, PREFIX, type Target } from './recognise.ts'
import { PROVIDERS } from './registry.ts'

/** A call is refused before its provider has given that a form. */
export class CallRefused extends Error {
  readonly refusal: Refusal
  readonly inboxIds: readonly InboxId[]

  constructor(refusal: Refusal, inboxIds: CallRefused['inboxIds'] = []) {
    super(refusal.message)
    this.refusal = refusal
    this.inboxIds = inboxIds
  }
}

/** The refusal of a call that failed; errors of the service itself are logged. */
export function toRefusal(
  log: Pick<Log, 'error'>,
  request: {
    readonly id: string
    readonly method: string
    readonly url: string
    readonly gone: AbortSignal
  },
  error: unknown,
): Refusal {
  if (error instanceof CallRefused) return error.refusal
  const known =
    error instanceof StorageUnavailable ? storageError(error, { retryAfterSeconds: 2 }) : error
  if (!(known instanceof ServiceError) || known.code === 'storage_unavailable') {
    const { id: requestId, method, url } = request
    if (!request.gone.aborted) log.error({ err: error, requestId, method, url }, 'request failed')
  }
  if (!(known instanceof ServiceError))
    return { why: 'internal', status: 500, message: 'Internal error.' }
  const { code, message, detail } = known
  const { status } = ERRORS[code]
  const { retryAfterSeconds } = detail
  const why = SERVICE_ERRORS[code] ?? 'unavailable'
  return { why, status, message, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
}

const SERVICE_ERRORS: Readonly<Record<string, Refusal['why']>> = {
  missing_api_key: 'missing_key',
  invalid_api_key: 'invalid_key',
  wrong_cell: 'misdirected',
  body_too_large: 'too_large',
  malformed_request: 'malformed',
}

/** The refusal of a call without a key. */
export function missingKey({ name }: Provider): CallRefused {
  const message = `The request has no key. Set the key of ${name} to a Mayfly key, or to KEY.INBOX_ID.`
  return new CallRefused({ why: 'missing_key', status: 401, message })
}

/** The refusal of a path that a provider does not have; `baseUrl` is its own. */
export function unknownPath(
  { provider, path }: Target,
  method: string,
  baseUrl: string,
): CallRefused {
  const isKnown = provider.routes.some((route) => findRoute([route], route.method, path) !== null)
  const message = isKnown
    ? `${path} of ${provider.name} has no method ${method}.`
    : `${provider.name} has no path ${path.slice(0, 200)} here. Its base URL is ${baseUrl}`
  return new CallRefused({ why: 'unknown_path', status: 404, message })
}

/** The answer to a path that no provider has; `where` says why. */
export function unknownProvider(where: string, baseUrl: string): Answer {
  const names = PROVIDERS.map(({ name }) => name).join(', ')
  const text = `${where}. Base URLs are ${baseUrl}${PREFIX}<name>/ with a slash at the end; <name> is one of ${names}.\n`
  return { status: 404, body: { text, type: 'text/plain; charset=utf-8' } }
}
