import { ERRORS, type ErrorCode } from '@mayfly/contract'

/** The additions of a ServiceError to its entry in the table. */
export type ServiceErrorDetail = {
  /** Replaces the message of the table with a more exact one. */
  readonly message?: string
  /** For the Retry-After header. */
  readonly retryAfterSeconds?: number
  /** For the Allow header: the methods that the path has. */
  readonly allowedMethods?: readonly string[]
  /** Fields of the response body beside `error`. */
  readonly fields?: Readonly<Record<string, unknown>>
}

/** An error that the caller can act on. Anything else that is thrown is a bug. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly detail: ServiceErrorDetail

  constructor(code: ErrorCode, detail: ServiceErrorDetail = {}) {
    super(detail.message ?? ERRORS[code].message)
    this.name = 'ServiceError'
    this.code = code
    this.detail = detail
  }
}

/** The storage is full, locked or cannot be reached. */
export class StorageUnavailable extends Error {
  /** Whether it is out of space; the SMTP reply is then 452 instead of 451. */
  readonly full: boolean
  /** Whether the change may have been made: its COMMIT got no response. Otherwise it was not. */
  readonly isUncertain: boolean

  constructor(cause: unknown, full: boolean, isUncertain = false) {
    super(`The storage is unavailable: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
    this.name = 'StorageUnavailable'
    this.full = full
    this.isUncertain = isUncertain
  }
}

/** The thread that was to change something has ended. The change may have been made. */
export class ThreadEnded extends StorageUnavailable {
  constructor(cause: unknown) {
    super(cause, false, true)
  }
}

/** The error for the caller, with a text that says whether something may have changed. */
export function storageError(
  { isUncertain }: StorageUnavailable,
  detail: Pick<ServiceErrorDetail, 'retryAfterSeconds'> = {},
): ServiceError {
  const message = isUncertain
    ? 'The storage did not respond to a change, which may have been made. Read before you try again.'
    : 'The storage does not respond. Nothing was changed; try again in a moment.'
  return new ServiceError('storage_unavailable', { ...detail, message })
}

/** Why a check of this node failed. Of the storage no more than that: its errors name hosts. */
export function failureReason(error: unknown): string {
  if (error instanceof ThreadEnded) return 'a thread has ended'
  if (error instanceof StorageUnavailable) {
    return error.full ? 'the storage is full' : 'the storage is unavailable'
  }
  return error instanceof Error ? error.message : String(error)
}

/** Why the service did not start, and what to correct, in one line. */
export class StartRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartRefused'
  }
}

/** Why an operator's command was refused, in one line. */
export class OperatorRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OperatorRefused'
  }
}

/** The thread that checked a sender was ended during the check. */
export class CheckInterrupted extends Error {}
