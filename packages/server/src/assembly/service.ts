import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createApp } from '../app/api.ts'
import { bind } from '../app/bind.ts'
import type { Content } from '../app/content.ts'
import { startDispatching } from '../app/dispatching.ts'
import { startDomains } from '../app/domains.ts'
import { startEvents } from '../app/events.ts'
import { identityProviders } from '../app/identity-providers.ts'
import { startLimits } from '../app/limits.ts'
import { startMailLog } from '../app/mail-log.ts'
import { openOutbound } from '../app/outbound.ts'
import { configuredPlans } from '../app/plans.ts'
import type { Receiving } from '../app/receiving.ts'
import { startStoreClock } from '../app/store-clock.ts'
import { startWaiting } from '../app/waiting.ts'
import { createWorld, type Shared } from '../app/world.ts'
import { readBundledFile } from '../bundled-files.ts'
import type { Config } from '../config/config.ts'
import { observeClients } from '../features/diagnostics/smtp-clients.ts'
import { atMostEvery, Readiness } from '../features/health/readiness.ts'
import { createPurging } from '../features/retention/purge.ts'
import { makeMailPartitions, SweepProgress, sweepExpired } from '../features/retention/sweep.ts'
import { CATCH_ALL_INBOX, OPERATOR_ACCOUNT } from '../features/rules/own-ids.ts'
import type { HttpTimeouts } from '../http/server.ts'
import { runEvery } from '../platform/background.ts'
import { elapsedMs } from '../platform/clock.ts'
import { checkFolder, checkFreeSpace } from '../platform/disk.ts'
import { createIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { MemoryLimits } from '../platform/request-body/account-memory.ts'
import { openThreadSignals } from '../signals/thread-signals.ts'
import { openStore, type Store } from '../store/open.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'
import { createContentHost } from '../threads/content-host.ts'
import { warnOfAccountsOnOldPlan } from './default-plan.ts'
import { startHttp, stopHttp } from './http.ts'
import { openCatchAll, openInitialInbox, openLocalAccount } from './local-account.ts'
import { startPop3 } from './pop3.ts'
import { openProviderMail, openProviders, startProvidersListener } from './providers.ts'
import { startSmtp } from './smtp.ts'
import { followUpStoredMail, type StoredMailFollowUp } from './stored-mail.ts'

/** A running service. */
export type Service = {
  readonly httpUrl: string
  readonly smtpPort: number
  /** Null without a POP3 server. */
  readonly pop3Port: number | null
  /** Null without a listener of its own for providers' APIs. */
  readonly providersPort: number | null
  /** The file of the database, or the host of PostgreSQL. */
  readonly dataPlace: string
  /** Whether there are accounts besides that of the operator. */
  readonly hasAccounts: boolean
  readonly version: string
  /** The commit that was built, and its date; null in a clone. */
  readonly commit: string | null
  /** A link that opens the dashboard signed in to the local account; null without one. */
  createSignInLink(): Promise<string | null>
  /** Stops accepting, finishes accepted work, flushes. */
  stop(): Promise<void>
}

/** The parts that a test may replace. */
export type ServiceOverrides = {
  /** Of a clock that the test sets (`clockIn`), in all threads. */
  readonly clockMemory?: SharedArrayBuffer
  /** How often custom domains are checked. */
  readonly domainSweepMs?: number
  /** False: no local account is created, so that a test's store has no account of its own. */
  readonly hasLocalAccount?: boolean
  readonly httpTimeouts?: HttpTimeouts
  /** How often new mail is polled for, in case an announcement is lost. */
  readonly mailPollMs?: number
  /** Bytes of unread responses that may be in memory. */
  readonly unreadBytes?: MemoryLimits
}

/** How often expired inboxes and mail past its retention are deleted. */
const SWEEP_MS = 60_000

/** How often readiness may write to see whether writing works. */
const WRITE_CHECK_MS = 1_000

/** How long a client in the middle of a mail may continue when the service stops. */
const SMTP_GRACE_MS = 5_000

/** How long a client may take to read its response when the service stops. */
const HTTP_GRACE_MS = 5_000

/** How long a webhook's receiver may take to respond when the service stops. */
const DISPATCH_GRACE_MS = 2_000

/** Processor time of one thumbnail. The largest image that is decoded takes half of it. */
const THUMBNAIL_CPU_MS_MAX = 4_000

/** Opens, wires and starts everything; when this returns, both listeners accept. */
export async function startService(
  config: Config,
  log: Log,
  overrides: ServiceOverrides = {},
): Promise<Service> {
  // Stops in the reverse order of the start.
  const parts = new AsyncDisposableStack()
  try {
    const shared = await openShared(config, log, { parts, ...overrides })
    const events = startEvents(shared)
    parts.defer(events.stop)
    const followUp = followUpStoredMail({ ...shared, ...events })
    parts.defer(followUp.stop)
    const waiting = await startWaiting({ ...shared, ...overrides, events })
    parts.defer(waiting.stop)
    const content = startContent(shared, parts)
    const { local, ...owners } = await openLocal(shared, overrides)
    if (config.MAYFLY_LOG_FORMAT === 'text') parts.defer(startMailLog(shared))
    const outbound = openOutbound(config, owners.localAccount)
    parts.defer(outbound.stop)
    // Its threads take as long to load as everything below, so both run at the same time.
    const receiving = beginReceiving({ ...shared, ...owners })
    parts.defer(receiving.stop)
    const dispatching = await startDispatching({ ...shared, ...events, outbound })
    parts.defer(() => dispatching.stop(DISPATCH_GRACE_MS))
    const limits = startLimits(shared)
    parts.defer(limits.stop)
    parts.defer(startRetention(shared, content))
    const domains = startDomains({ ...shared, ...overrides })
    parts.defer(domains.stop)

    const providers = openProviderMail({ ...shared, ...owners }, parts)

    const addresses = { httpUrl: '', smtpPort: config.MAYFLY_SMTP_PORT }
    const baseUrl = () => (config.MAYFLY_BASE_URL ?? addresses.httpUrl).replace(/\/+$/, '')
    const world = createWorld({
      ...{ ...shared, ...owners, ...limits, ...waiting, ...events, ...dispatching, ...followUp },
      ...observeClients(shared),
      ...{ content, providerMail: providers.mail, baseUrl, dns: domains.dns },
      ...{ fetchLink: outbound.fetchLink, outboundRequest: outbound.request },
      smtpAddress: () => `${smtpHost(config, baseUrl())}:${addresses.smtpPort}`,
      readiness: checkReadiness(shared, { receiving: receiving.started, followUp }),
      describe: describeService(config, addresses, {
        baseUrl,
        localKeyFile: local?.keyFile ?? null,
      }),
    })
    const app = createApp(world)
    const handleProvider = openProviders({ ...shared, app, baseUrl }, providers.host)
    const { http, url } = await startHttp({ ...shared, ...overrides, app, baseUrl, handleProvider })
    addresses.httpUrl = url
    parts.defer(async () => {
      // Open waits get their responses before the server counts open requests.
      waiting.held.close()
      await Promise.all([stopHttp(http, HTTP_GRACE_MS), ...stopBeside(receiving, dispatching)])
    })
    addresses.smtpPort = (await receiving.started).port
    const pop3Port = await startPop3({ ...shared, app, content, parts })
    const providersPort = await startProvidersListener(shared, handleProvider, parts)
    const createSignInLink = async () => (await local?.signInLink(baseUrl)) ?? null
    const hasAccounts = await shared.store.accounts.hasOthers(OPERATOR_ACCOUNT)
    const stop = () => parts.disposeAsync()
    const dataPlace = placeOf(config.MAYFLY_DATABASE_URL)
    const ports = { ...addresses, pop3Port, providersPort }
    const { version, commit = null } = readVersion()
    return { ...ports, version, commit, dataPlace, hasAccounts, createSignInLink, stop }
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}

/**
 * The parts that stop together with the HTTP server, because each may take all of its time. Replays
 * and sample events are sent within requests.
 */
function stopBeside(
  receiving: { readonly stop: () => Promise<void> },
  dispatching: { readonly stop: (graceMs: number) => Promise<void> },
): readonly Promise<void>[] {
  return [receiving.stop(), dispatching.stop(DISPATCH_GRACE_MS)]
}

async function openLocal(shared: Shared, { hasLocalAccount }: ServiceOverrides) {
  const local = hasLocalAccount === false ? null : await openLocalAccount(shared)
  const catchAllOwner = await openCatchAll(shared, local)
  await openInitialInbox(shared, local)
  const localAccount = local?.reachesPrivate === true ? local.accountId : null
  return { local, localAccount, catchAllOwner }
}

function checkReadiness(
  { config, store }: Shared,
  parts: { readonly receiving: Promise<Receiving>; readonly followUp: StoredMailFollowUp },
): Readiness {
  const sqlitePath = sqlitePathOf(config.MAYFLY_DATABASE_URL)
  const rarely = (check: () => Promise<void>) => atMostEvery(WRITE_CHECK_MS, elapsedMs, check)
  const checkWrite = rarely(() => store.checkWrite())
  const disk = (path: string) => {
    const checkWritable = rarely(() => checkFolder(path))
    return async () => {
      await checkFreeSpace(path)
      await checkWritable()
    }
  }
  return new Readiness({
    storage: async () => {
      await store.ping()
      await checkWrite()
    },
    receiving: async () => (await parts.receiving).check(),
    followUp: () => parts.followUp.ping(),
    ...(sqlitePath === null ? {} : { disk: disk(sqlitePath) }),
  })
}

async function openShared(
  config: Config,
  log: Log,
  {
    parts,
    clockMemory = null,
  }: { readonly parts: AsyncDisposableStack; readonly clockMemory?: SharedArrayBuffer | null },
): Promise<Shared> {
  const store = await openStore({
    url: config.MAYFLY_DATABASE_URL,
    directUrl: config.MAYFLY_DATABASE_DIRECT_URL,
    exclusive: true,
    yieldsBy: elapsedMs,
    syncsInBackground: true,
    connectionsMax: config.MAYFLY_DATABASE_CONNECTIONS,
    onPurgeFailed: bind(log, logFailedPurge),
  })
  parts.defer(() => store.close())
  await warnOfAccountsOnOldPlan({ store, config, log })
  const { clock, stop } = await startStoreClock(store, log, clockMemory)
  parts.defer(stop)
  const ids = createIds(clock, config.MAYFLY_CELL)
  const signalsName = ids.requestId()
  const signals = openThreadSignals(signalsName)
  parts.defer(() => signals.close())
  return {
    config,
    log,
    clock,
    clockMemory,
    ids,
    store,
    signals,
    signalsName,
    mailHost: config.MAYFLY_MAIL_HOST ?? `mx.${config.MAYFLY_DOMAINS[0]}`,
    limitsOf: configuredPlans(config),
  }
}

function logFailedPurge(log: Log, error: unknown): void {
  log.warn({ err: error }, 'deleting mails or deliveries failed; the retention sweep tries again')
}

/** The port is read at each call: it is known when the listener has started. */
function describeService(
  config: Config,
  addresses: { readonly smtpPort: number },
  {
    baseUrl,
    localKeyFile,
  }: { readonly baseUrl: () => string; readonly localKeyFile: string | null },
) {
  const { version } = readVersion()
  const catchAllInboxId = config.MAYFLY_CATCH_ALL === 'off' ? null : CATCH_ALL_INBOX
  const hasExternalAccounts = identityProviders(config).size > 0
  return () => {
    const smtp = { host: smtpHost(config, baseUrl()), port: addresses.smtpPort }
    return { version, smtp, catchAllInboxId, hasExternalAccounts, localKeyFile }
  }
}

/** Addresses that a listener has, and a client cannot connect to. */
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]'])

/** The host to which applications send: of a listener on all addresses that of the base URL. */
function smtpHost(config: Config, baseUrl: string): string {
  const { MAYFLY_SMTP_HOST: host } = config
  if (!WILDCARDS.has(host)) return host
  const { hostname } = new URL(baseUrl)
  return WILDCARDS.has(hostname) ? '127.0.0.1' : hostname
}

function placeOf(databaseUrl: string): string {
  const path = sqlitePathOf(databaseUrl)
  return path === null
    ? `PostgreSQL at ${URL.parse(databaseUrl)?.host ?? 'its URL'}`
    : resolve(path)
}

/**
 * The version of this package and, in a build, its commit. The file lies at the same place beside
 * the source and the build.
 */
function readVersion(): { readonly version: string; readonly commit?: string | null } {
  const manifest = readBundledFile(new URL('../../package.json', import.meta.url))
  // Our own package.json.
  return JSON.parse(manifest.toString()) as ReturnType<typeof readVersion>
}

/**
 * Reads mail content in a thread of its own. Images are decoded in another one, which the first
 * thumbnail starts: a decoder that does not end is terminated, and other calls do not wait for it.
 */
function startContent({ config, log }: Shared, parts: AsyncDisposableStack): Content {
  const startHost = (cpuMsMax?: number) => {
    const host = createContentHost({
      databaseUrl: config.MAYFLY_DATABASE_URL,
      directUrl: config.MAYFLY_DATABASE_DIRECT_URL,
      logLevel: config.MAYFLY_LOG_LEVEL,
      onFailure: ({ call, error }) =>
        log.error({ err: error, call }, 'reading a mail failed; the content thread starts again'),
      onPurgeFailed: bind(log, logFailedPurge),
      ...(cpuMsMax === undefined ? {} : { cpuMsMax }),
    })
    parts.defer(host.stop)
    return host.content
  }
  const { composeThumbnail } = startHost(THUMBNAIL_CPU_MS_MAX)
  return { ...startHost(), composeThumbnail }
}

function beginReceiving(options: Parameters<typeof startSmtp>[0] & Shared) {
  const started = makeMailPartitions(options).then(() => startSmtp(options))
  // It is thrown where `started` is awaited; until then it must not end the process.
  started.catch(() => {})
  const stop = async () => {
    const receiving = await started.catch(() => null)
    await receiving?.stop(SMTP_GRACE_MS)
  }
  return { started, stop }
}

function startRetention(shared: Shared, content: Content): () => Promise<void> {
  const { store, log } = shared
  const stopping = new AbortController()
  const { signal } = stopping
  const deps = {
    ...shared,
    elapsedMs,
    pause: (ms: number) => delay(ms, undefined, { signal }).catch(() => {}),
    isStopped: () => signal.aborted,
  }
  const { purgeInbox } = createPurging(store, content)
  const deleteMails: Store['deleteMails'] = (mails) => content.deleteMails(OPERATOR_ACCOUNT, mails)
  const progress = new SweepProgress()
  const sweeping = runEvery(SWEEP_MS, { name: 'the retention sweep', log }, async () => {
    await sweepExpired({ ...deps, purgeInbox, deleteMails }, progress)
  })
  return () => {
    stopping.abort()
    return sweeping.stop()
  }
}
