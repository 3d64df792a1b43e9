import { ApiError, ConnectionError } from '@mayfly/client'

/** The text of a failure, for a reader. */
export type ErrorText = {
  readonly text: string
  /** Identifies the request in the log of the service. */
  readonly requestId: string | null
}

/** The text when the service does not respond. */
export const UNREACHABLE = 'The service cannot be reached. Is it running?'

/** The text of an error, for a reader. */
export function errorText(error: unknown): ErrorText {
  if (error instanceof ApiError) {
    return { text: serviceMessage(error) ?? error.message, requestId: error.requestId }
  }
  if (error instanceof ConnectionError) {
    return { text: UNREACHABLE, requestId: null }
  }
  return { text: error instanceof Error ? error.message : String(error), requestId: null }
}

/** The service's own sentence; the client adds the call to it, which helps in a test's log only. */
function serviceMessage({ body }: ApiError): string | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null
  const { error } = body
  if (typeof error !== 'object' || error === null || !('message' in error)) return null
  return typeof error.message === 'string' ? error.message : null
}
