import { readFileSync } from 'node:fs'
import { type CertificatePair, makeSelfSignedCertificate } from '@mayfly/smtp'
import type { Config } from '../config/config.ts'
import { StartRefused } from '../errors.ts'
import type { Clock } from '../platform/clock.ts'

/** The certificate of STARTTLS: the operator's, or one made for this start. */
export function certificate(config: Config, hostName: string, clock: Clock): CertificatePair {
  const { MAYFLY_SMTP_TLS_CERT: cert, MAYFLY_SMTP_TLS_KEY: key } = config
  if (cert === null && key === null) {
    return makeSelfSignedCertificate([hostName, 'localhost', '127.0.0.1'], new Date(clock.now()))
  }
  if (cert === null || key === null) {
    throw new StartRefused('Set both MAYFLY_SMTP_TLS_CERT and MAYFLY_SMTP_TLS_KEY, or neither.')
  }
  return { cert: readPem(cert, 'MAYFLY_SMTP_TLS_CERT'), key: readPem(key, 'MAYFLY_SMTP_TLS_KEY') }
}

function readPem(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartRefused(`${setting} names a file that cannot be read: ${String(error)}`)
  }
}
