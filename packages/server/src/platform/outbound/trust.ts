import { X509Certificate } from 'node:crypto'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'

/**
 * Whom TLS trusts: the authorities that Node trusts, and those of the PEM text `extraCa`; throws
 * when that holds none. Made at the first use and kept: reading all takes tens of milliseconds.
 */
export function createTrust(extraCa: string | null): () => SecureContext {
  if (extraCa !== null) assertCertificates(extraCa)
  let context: SecureContext | undefined
  return () => {
    context ??= createSecureContext(
      extraCa === null ? {} : { ca: [...getCACertificates('default'), extraCa] },
    )
    return context
  }
}

/** TLS would ignore a file without certificates, and every connection would fail later. */
function assertCertificates(pem: string): void {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  if (blocks === null) throw new Error('The extra CA holds no PEM certificate')
  for (const block of blocks) new X509Certificate(block)
}
