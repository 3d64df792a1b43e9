import { readFileSync } from 'node:fs'
import type { AccountId } from '@mayfly/contract'
import { type CertificatePair, createUsageMemory, makeSelfSignedCertificate } from '@mayfly/smtp'
import type { Config } from '../config/config.ts'
import { StartRefused } from '../errors.ts'
import { ensureOperatorInbox } from '../features/receiving/operator-inbox.ts'
import { Backlog, createBacklogMemory } from '../platform/backlog.ts'
import type { Clock } from '../platform/clock.ts'
import type { Signals } from '../signals/thread-signals.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'
import { spoolsOfThread } from '../store/sqlite/spool.ts'
import {
  type Receiving,
  type ReceivingOptions,
  startReceivingThreads,
} from '../threads/receiving-host.ts'
import { createStoringThread } from '../threads/storing-host.ts'
import { listenError } from './http.ts'
import type { HandlingDeps } from './mail-handling.ts'
import type { SharedSpool } from './shared-spool.ts'

/** What receiving needs. */
type SmtpDeps = Omit<HandlingDeps, 'storeMail'> & {
  readonly signals: Pick<Signals, 'announce' | 'listen'>
  readonly config: Config
  readonly hostName: string
  readonly signalsName: string
  readonly catchAllOwner: AccountId | null
}

/** Starts to receive, in the configured number of threads; with 0, on this one. */
export async function startSmtp(deps: SmtpDeps): Promise<Receiving> {
  const { config, log, signalsName, hostName, clock, catchAllOwner } = deps
  if (config.MAYFLY_SMTP_PROXY_PROTOCOL && config.MAYFLY_TRUSTED_PROXIES.length === 0) {
    throw new StartRefused('MAYFLY_SMTP_PROXY_PROTOCOL needs MAYFLY_TRUSTED_PROXIES.')
  }
  const options = {
    config,
    hostName,
    operatorAddress: await ensureOperatorInbox(deps, config.MAYFLY_DOMAINS[0] ?? ''),
    catchAllOwner,
    port: config.MAYFLY_SMTP_PORT,
    tls: certificate(config, hostName, clock),
  }
  const count = config.MAYFLY_SMTP_THREADS
  const onCrash = (error: unknown) => {
    log.error({ err: error }, 'a receiving thread ended; it is started again')
  }
  const onConnection = (agoMs: number) => {
    const connectedAt = clock.now() - Math.floor(agoMs)
    deps.signals.announce({ inboxIds: [], mailIds: [], connectedAt })
  }
  try {
    if (count === 0) {
      const onThisThread = { ...options, usageMemory: createUsageMemory() }
      return await receiveOnThisThread({ ...deps, onConnection }, onThisThread)
    }
    const threads = { options, count, createUsageMemory, signalsName, onConnection, onCrash }
    return await startReceivingThreads(threads)
  } catch (error) {
    throw listenError(error, 'MAYFLY_SMTP')
  }
}

/** Loaded only then: otherwise the receiving threads load it. */
async function receiveOnThisThread(
  deps: SmtpDeps & { readonly onConnection: (agoMs: number) => void },
  options: ReceivingOptions,
): Promise<Receiving> {
  const [{ startMailHandling }, { createOwnMailStore }, { startReceiving }] = await Promise.all([
    import('./mail-handling.ts'),
    import('./own-mail-store.ts'),
    import('./receiving.ts'),
  ])
  await recoverAll(deps, options)
  const backlog = new Backlog(createBacklogMemory(1), 0)
  const storeMail = createOwnMailStore(
    { ...deps, isWatched: (id) => backlog.isWatchedId(id) },
    options,
  )
  const open = async () => {
    const shared = await openShared(deps, options, backlog)
    const storedFor = shared?.storedFor ?? (() => null)
    const handling = startMailHandling({ ...deps, storeMail, storedFor }, options)
    const stop = async () => {
      await shared?.stop()
      await handling.stop()
    }
    return { ...handling, stop }
  }
  const onError = (error: unknown) => deps.log.error({ err: error }, 'receiving failed')
  const { onConnection } = deps
  const receiving = await startReceiving(
    { open, opensAtOnce: true, onConnection, onError },
    options,
  )
  const watch: Receiving['watch'] = (id, isWatched) =>
    isWatched ? backlog.watch(id) : backlog.unwatch(id)
  return { ...receiving, watch }
}

/** Without threads mails are not spooled, but other nodes may spool, and leave mails behind. */
async function openShared(
  deps: SmtpDeps,
  options: ReceivingOptions,
  backlog: Backlog,
): Promise<SharedSpool | null> {
  if (!deps.store.isShared) return null
  const { openSharedSpool } = await import('./shared-spool.ts')
  return openSharedSpool({ ...deps, backlog }, options)
}

/** Stores what receiving threads of an earlier run had accepted before a crash. */
async function recoverAll(
  { store, log, signalsName }: Pick<SmtpDeps, 'store' | 'log' | 'signalsName'>,
  options: ReceivingOptions,
): Promise<void> {
  const path = sqlitePathOf(options.config.MAYFLY_DATABASE_URL)
  const names = path === null ? [] : spoolsOfThread(path, { number: 0, count: 0 })
  if (path === null || names.length === 0) return
  const backlogMemory = createBacklogMemory(1)
  const storing = createStoringThread({ options, signalsName, number: 0, backlogMemory }, log)
  const { recoverSpools } = await import('./spools.ts')
  const backlog = new Backlog(backlogMemory, 0)
  await recoverSpools({ path, store, storing, log, backlog }, names)
  await storing.stop()
}

/** The certificate for STARTTLS and STLS; null when they are not offered. */
export function certificate(
  config: Config,
  hostName: string,
  clock: Clock,
): CertificatePair | null {
  const { MAYFLY_SMTP_TLS: mode, MAYFLY_SMTP_TLS_CERT: cert, MAYFLY_SMTP_TLS_KEY: key } = config
  if (cert !== null && key !== null) {
    if (mode !== null) {
      throw new StartRefused('Set MAYFLY_SMTP_TLS_CERT or MAYFLY_SMTP_TLS=self-signed, not both.')
    }
    return { cert: readPem(cert, 'MAYFLY_SMTP_TLS_CERT'), key: readPem(key, 'MAYFLY_SMTP_TLS_KEY') }
  }
  if (cert !== null || key !== null) {
    throw new StartRefused('Set both MAYFLY_SMTP_TLS_CERT and MAYFLY_SMTP_TLS_KEY, or neither.')
  }
  if (mode === null) return null
  return makeSelfSignedCertificate([hostName, 'localhost', '127.0.0.1'], new Date(clock.now()))
}

function readPem(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartRefused(`${setting} names a file that cannot be read: ${String(error)}`)
  }
}
