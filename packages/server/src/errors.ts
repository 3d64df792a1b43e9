import { ERRORS, type ErrorCode } from '@mayfly/contract'

/** What a ServiceError may say beyond its row in the table. */
export type ServiceErrorDetail = {
  /** Replaces the table's text where a more exact one is known. */
  readonly message?: string
  /** Seconds after which a repeat may succeed; becomes the Retry-After header. */
  readonly retryAfterSeconds?: number
  /** Fields that go into the body beside `error`. */
  readonly beside?: Readonly<Record<string, unknown>>
}

/** An error that is the caller's to act on. Anything else that is thrown is our bug. */
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

/** The storage did not take or give what was asked: full, locked, gone. Nothing was changed. */
export class StorageUnavailable extends Error {
  /** Whether there is no room left, which SMTP answers with 452 rather than 451. */
  readonly full: boolean

  constructor(cause: unknown, full: boolean) {
    super(`The storage is unavailable: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
    this.name = 'StorageUnavailable'
    this.full = full
  }
}

/** Why the service did not start, in one line that tells the operator what to mend. */
export class StartRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StartRefused'
  }
}

/** Why an operator's command was not carried out, in one line. */
export class OperatorRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OperatorRefused'
  }
}
