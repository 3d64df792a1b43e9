/** Why a TLS handshake failed, for a person. */
export function tlsFailure(error: Error | null, isLate: boolean): string {
  const reason = reasonOf(error)
  const [, alert] = /\balert (.+)$/.exec(reason) ?? []
  if (alert !== undefined) return `the client sent the TLS alert "${alert}"`
  if (reason !== '') return reason
  return isLate
    ? 'the client did not complete it in time'
    : 'the client closed the connection without an alert, as some do that do not accept the certificate'
}

/** The error of OpenSSL, such as `tlsv1 alert unknown ca` or `no shared cipher`; may be empty. */
function reasonOf(error: Error | null): string {
  if (error === null || !('reason' in error)) return ''
  return typeof error.reason === 'string' ? error.reason : ''
}
