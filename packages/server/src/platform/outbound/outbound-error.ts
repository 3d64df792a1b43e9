/** Why an allowed request got no response. */
export type FailureClass =
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'protocol'
  | 'too_many_redirects'
  | 'aborted'

/**
 * One text for every refused address: naming the rule would reveal facts about our network, and so
 * would a difference between a name that only our resolvers know and one that does not exist. A
 * refusal that follows from the URL alone has a text of its own.
 */
const REFUSAL =
  'The address is not allowed, or the host name has no address. The operator of the service can allow private addresses with MAYFLY_ALLOW_PRIVATE_NETWORK or MAYFLY_OUTBOUND_ALLOW.'

const GENERAL_DETAILS: Readonly<Record<FailureClass, string>> = {
  dns: 'The host name could not be resolved.',
  connect: 'The connection could not be made.',
  tls: 'The TLS connection could not be made.',
  timeout: 'No complete response arrived in time.',
  reset: 'The connection was closed before the response was complete.',
  protocol: 'The response was not valid HTTP.',
  too_many_redirects: 'There were too many redirects.',
  aborted: 'The request was cancelled.',
}

/** Details for the codes that a user can act on; the rest share the text of their class. */
const DETAILS_BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate is from an authority that is not trusted.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate is from an authority that is not trusted.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate is from an authority that is not trusted.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the response are too large.',
}

/** Why a request ended without a response. Its message is for users and quotes no peer. */
export class OutboundError extends Error {
  readonly kind: FailureClass | 'refused'

  constructor(kind: FailureClass | 'refused', detail?: string) {
    super(detail ?? (kind === 'refused' ? REFUSAL : GENERAL_DETAILS[kind]))
    this.kind = kind
  }
}

/** The error for a failed connection or TLS handshake. */
export function connectionError(stage: 'connect' | 'tls', cause: unknown): OutboundError {
  if (cause instanceof OutboundError) return cause
  const code = codeOf(cause)
  // A server that accepts a connection and drops it is noticed now or at the first read.
  if (stage === 'connect' && code === 'ECONNRESET') return new OutboundError('reset')
  return new OutboundError(stage, DETAILS_BY_CODE[code])
}

/** The error for a failure between sending the request and the end of the response. */
export function exchangeError(cause: unknown): unknown {
  const code = codeOf(cause)
  // Undici rejects our own arguments: a bug, not a failure of the network.
  if (cause instanceof OutboundError || code === 'UND_ERR_INVALID_ARG') return cause
  if (SOCKET_CODES.has(code)) return new OutboundError('reset')
  return new OutboundError('protocol', DETAILS_BY_CODE[code])
}

const SOCKET_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
])

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error) || !('code' in cause)) return ''
  return typeof cause.code === 'string' ? cause.code : ''
}
