import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import {
  type Check,
  type Finding,
  fine,
  type Patient,
  problem,
  reasonOf,
  warning,
} from './finding.ts'
import { isTestName } from './names.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** A certificate that should have been renewed by now. */
const SOON_DAYS = 14
const TIMEOUT_MS = 5_000

/** Whether certificates are there, fit, and last. */
export const certificateCheck: Check = {
  name: 'certificates',
  look: async (patient) => [
    smtpCertificate(patient),
    ...extraAuthorities(patient),
    ...(await baseUrlCertificate(patient)),
  ],
}

function smtpCertificate({ config, now }: Patient): Finding {
  const { MAYFLY_SMTP_TLS_CERT: certFile, MAYFLY_SMTP_TLS_KEY: keyFile } = config
  const mailHost = config.MAYFLY_MAIL_HOST ?? `mx.${config.MAYFLY_DOMAINS[0]}`
  if (certFile === null || keyFile === null) {
    if (isTestName(mailHost)) return fine('STARTTLS has a self-signed certificate')
    const remedy = 'Set MAYFLY_SMTP_TLS_CERT and MAYFLY_SMTP_TLS_KEY: some senders insist on one.'
    return warning('STARTTLS has only a self-signed certificate', remedy)
  }
  try {
    const certificate = new X509Certificate(readFileSync(certFile))
    if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile)))) {
      const remedy = 'Set MAYFLY_SMTP_TLS_CERT and MAYFLY_SMTP_TLS_KEY to files of one pair.'
      return problem(`the key in ${keyFile} is not that of ${certFile}`, remedy)
    }
    if (certificate.checkHost(mailHost) === undefined) {
      const remedy = 'Get one for that name, or set MAYFLY_MAIL_HOST.'
      return problem(`the certificate in ${certFile} is not for ${mailHost}`, remedy)
    }
    return lasts(`the certificate in ${certFile}`, certificate.validToDate.getTime() - now)
  } catch (error) {
    const remedy = 'MAYFLY_SMTP_TLS_CERT and MAYFLY_SMTP_TLS_KEY must name PEM files.'
    return problem(`the certificate of STARTTLS cannot be read (${reasonOf(error)})`, remedy)
  }
}

function extraAuthorities({ config }: Patient): readonly Finding[] {
  const { MAYFLY_EXTRA_CA: file } = config
  if (file === null) return []
  try {
    new X509Certificate(readFileSync(file))
    return [fine(`${file} holds certificates`)]
  } catch (error) {
    const remedy = 'MAYFLY_EXTRA_CA must name a PEM file of certificates.'
    return [problem(`${file} cannot be read (${reasonOf(error)})`, remedy)]
  }
}

async function baseUrlCertificate({ config, now }: Patient): Promise<readonly Finding[]> {
  const { MAYFLY_BASE_URL: base } = config
  if (base === null || !base.startsWith('https:')) return []
  const { hostname: host, port } = new URL(base)
  // An address has no name to tell.
  const name = isIP(host) === 0 ? { servername: host } : {}
  const socket = connect({ host, port: Number(port || 443), ...name })
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer in time')))
  try {
    await once(socket, 'secureConnect')
    const { valid_to: validTo } = socket.getPeerCertificate()
    return [lasts(`the certificate of ${base}`, Date.parse(validTo) - now)]
  } catch (error) {
    const remedy = 'Callers cannot reach it either: mend the proxy before the service.'
    return [problem(`${base} cannot be reached (${reasonOf(error)})`, remedy)]
  } finally {
    socket.destroy()
  }
}

function lasts(what: string, leftMs: number): Finding {
  const days = Math.floor(leftMs / DAY_MS)
  if (days < 0) return problem(`${what} is out of date`, 'Renew it.')
  const text = `${what} lasts for ${days} days`
  return days < SOON_DAYS ? warning(text, 'Renew it.') : fine(text)
}
