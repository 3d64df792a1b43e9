import { readFileSync } from 'node:fs'
import type { AccountId } from '@mayfly/contract'
import { type CertificatePair, createUsageMemory, makeSelfSignedCertificate } from '@mayfly/smtp'
import type { Receiving } from '../app/receiving.ts'
import type { Config } from '../config/config.ts'
import { StartRefused } from '../errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { ensureOperatorInbox } from '../receiving/operator-inbox.ts'
import type { Store } from '../store/open.ts'
import { startReceivingThreads } from '../threads/receiving-host.ts'
import { listenError } from './http.ts'

/** The dependencies of receiving. */
type SmtpDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly config: Config
  readonly mailHost: string
  readonly signalsName: string
  /** As of `startStoreClock`. */
  readonly clockMemory: SharedArrayBuffer | null
  readonly catchAllOwner: AccountId | null
}

/** Starts to receive, in the configured number of threads. */
export async function startSmtp(deps: SmtpDeps): Promise<Receiving> {
  const { config, log, signalsName, clockMemory, mailHost, clock, catchAllOwner } = deps
  if (config.MAYFLY_SMTP_PROXY_PROTOCOL && config.MAYFLY_TRUSTED_PROXIES.length === 0) {
    throw new StartRefused('MAYFLY_SMTP_PROXY_PROTOCOL needs MAYFLY_TRUSTED_PROXIES.')
  }
  const options = {
    config,
    hostName: mailHost,
    operatorAddress: await ensureOperatorInbox(deps, config.MAYFLY_DOMAINS[0] ?? ''),
    catchAllOwner,
    port: config.MAYFLY_SMTP_PORT,
    tls: certificate(config, mailHost, clock),
  }
  const onCrash = (error: unknown) => {
    log.error({ err: error }, 'a receiving thread ended; it is started again')
  }
  const count = config.MAYFLY_SMTP_THREADS
  try {
    const threads = { options, count, createUsageMemory, signalsName, clockMemory, onCrash }
    return await startReceivingThreads(threads)
  } catch (error) {
    throw listenError(error, 'MAYFLY_SMTP')
  }
}

/** The certificate for STARTTLS and STLS; null when they are not offered. */
export function certificate(
  config: Config,
  mailHost: string,
  clock: Clock,
): CertificatePair | null {
  const { MAYFLY_SMTP_TLS: mode, MAYFLY_SMTP_TLS_CERT: cert, MAYFLY_SMTP_TLS_KEY: key } = config
  const hosts = [mailHost, 'localhost', '127.0.0.1']
  return configuredCertificate('MAYFLY_SMTP_TLS', { mode, cert, key }, { hosts, clock })
}

/** The certificate by the settings that begin with a name; null without one. */
export function configuredCertificate(
  name: string,
  given: {
    readonly mode: string | null
    readonly cert: string | null
    readonly key: string | null
  },
  { hosts, clock }: { readonly hosts: readonly string[]; readonly clock: Clock },
): CertificatePair | null {
  const { mode, cert, key } = given
  if (cert !== null && key !== null) {
    if (mode !== null) {
      throw new StartRefused(`Set ${name}_CERT or ${name}=self-signed, not both.`)
    }
    return { cert: readPem(cert, `${name}_CERT`), key: readPem(key, `${name}_KEY`) }
  }
  if (cert !== null || key !== null) {
    throw new StartRefused(`Set both ${name}_CERT and ${name}_KEY, or neither.`)
  }
  return mode === null ? null : makeSelfSignedCertificate(hosts, new Date(clock.now()))
}

function readPem(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartRefused(`${setting} names a file that cannot be read: ${String(error)}`)
  }
}
