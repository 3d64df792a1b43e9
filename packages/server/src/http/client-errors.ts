import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { ServiceError } from '../errors.ts'
import { defaultHeaders, errorResponse } from './error-response.ts'
import { STATUS_CODES } from './status-codes.ts'
import type { KnownPaths } from './unmatched.ts'

/** An error of the HTTP parser, or of a request that did not arrive in time. */
type ClientError = Error & { readonly code?: string; readonly rawPacket?: unknown }

/** A request line with a method that the HTTP parser does not know. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~\w-]{1,64} (\/\S*) HTTP\/1\.[01]\r?\n/

/**
 * Responds to requests that the HTTP parser refuses, in the shape of all errors.
 *
 * There is no request and no response then, only a socket, which is closed afterwards.
 */
export function respondToClientErrors(options: {
  readonly paths: KnownPaths
  readonly newRequestId: () => string
}): (error: ClientError, socket: Duplex) => void {
  return (error, socket) => {
    if (error.code !== 'ECONNRESET' && socket.writable) {
      socket.write(responseText(toServiceError(error, options.paths), options.newRequestId()))
    }
    socket.destroy(error)
  }
}

/** Refuses a request without Host, which HTTP/1.1 forbids. */
export function checkHost({ headers, httpVersion }: IncomingMessage): void {
  if (headers.host !== undefined || httpVersion !== '1.1') return
  throw new ServiceError('malformed_request', { message: 'The Host header is missing.' })
}

function toServiceError(error: ClientError, paths: KnownPaths): ServiceError {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request_timeout')
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('headers_too_large')
    case 'HPE_INVALID_METHOD': {
      const url = REQUEST_LINE.exec(String(error.rawPacket ?? ''))?.[1]
      return url === undefined ? new ServiceError('malformed_request') : paths.refusal(url)
    }
    default:
      return new ServiceError('malformed_request')
  }
}

function responseText(error: ServiceError, requestId: string): string {
  const { status, headers, body } = errorResponse(error, requestId)
  const json = JSON.stringify(body)
  const fields = {
    ...defaultHeaders(requestId),
    ...headers,
    'content-length': String(Buffer.byteLength(json)),
    connection: 'close',
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${json}`
}
