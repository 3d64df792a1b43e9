import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import {
  type Check,
  type CheckContext,
  type Finding,
  fine,
  isTestName,
  problem,
  reasonOf,
  warning,
} from './check.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Automatic renewal would have happened by then. */
const SOON_DAYS = 14
const TIMEOUT_MS = 5_000

/** Checks that certificates can be read, match their names and keys, and have not expired. */
export const certificateCheck: Check = {
  name: 'certificates',
  run: async (context) => [
    smtpCertificate(context),
    ...extraAuthorities(context),
    ...(await baseUrlCertificate(context)),
  ],
}

function smtpCertificate({ config, now }: CheckContext): Finding {
  const { MAYFLY_SMTP_TLS_CERT: certFile, MAYFLY_SMTP_TLS_KEY: keyFile } = config
  const mailHost = config.MAYFLY_MAIL_HOST ?? `mx.${config.MAYFLY_DOMAINS[0]}`
  if (certFile === null || keyFile === null) {
    const fact =
      config.MAYFLY_SMTP_TLS === 'self-signed'
        ? 'STARTTLS uses a self-signed certificate'
        : 'STARTTLS is not offered'
    if (isTestName(mailHost)) return fine(fact)
    const remedy =
      'Set MAYFLY_SMTP_TLS_CERT and MAYFLY_SMTP_TLS_KEY: some senders require a trusted certificate.'
    return warning(fact, remedy)
  }
  try {
    const certificate = new X509Certificate(readFileSync(certFile))
    if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile)))) {
      const remedy = 'Set MAYFLY_SMTP_TLS_CERT and MAYFLY_SMTP_TLS_KEY to a matching pair.'
      return problem(`the key in ${keyFile} does not match ${certFile}`, remedy)
    }
    if (certificate.checkHost(mailHost) === undefined) {
      const remedy = 'Use a certificate for that name, or set MAYFLY_MAIL_HOST.'
      return problem(`the certificate in ${certFile} is not for ${mailHost}`, remedy)
    }
    return expiryFinding(`the certificate in ${certFile}`, certificate.validToDate.getTime() - now)
  } catch (error) {
    const remedy = 'MAYFLY_SMTP_TLS_CERT and MAYFLY_SMTP_TLS_KEY must name PEM files.'
    return problem(`the STARTTLS certificate cannot be read (${reasonOf(error)})`, remedy)
  }
}

function extraAuthorities({ config }: CheckContext): readonly Finding[] {
  const { MAYFLY_EXTRA_CA: file } = config
  if (file === null) return []
  try {
    new X509Certificate(readFileSync(file))
    return [fine(`${file} contains certificates`)]
  } catch (error) {
    const remedy = 'MAYFLY_EXTRA_CA must name a PEM file of certificates.'
    return [problem(`${file} cannot be read (${reasonOf(error)})`, remedy)]
  }
}

async function baseUrlCertificate({ config, now }: CheckContext): Promise<readonly Finding[]> {
  const { MAYFLY_BASE_URL: base } = config
  if (base === null || !base.startsWith('https:')) return []
  const { hostname: host, port } = new URL(base)
  // Server name indication takes no IP address.
  const name = isIP(host) === 0 ? { servername: host } : {}
  const socket = connect({ host, port: Number(port || 443), ...name })
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no response in time')))
  try {
    await once(socket, 'secureConnect')
    const { valid_to: validTo } = socket.getPeerCertificate()
    return [expiryFinding(`the certificate of ${base}`, Date.parse(validTo) - now)]
  } catch (error) {
    const remedy = 'Clients cannot reach it either: check the reverse proxy.'
    return [problem(`${base} cannot be reached (${reasonOf(error)})`, remedy)]
  } finally {
    socket.destroy()
  }
}

function expiryFinding(what: string, leftMs: number): Finding {
  const days = Math.floor(leftMs / DAY_MS)
  if (days < 0) return problem(`${what} has expired`, 'Renew it.')
  const text = `${what} expires in ${days} ${days === 1 ? 'day' : 'days'}`
  return days < SOON_DAYS ? warning(text, 'Renew it.') : fine(text)
}
