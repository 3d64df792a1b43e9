import { setTimeout as delay } from 'node:timers/promises'
import type { AccountId, InboxId, Limits, Plan } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import type { Caller } from '../features/accounts/authenticate.ts'
import { atMostEvery, Readiness } from '../features/health/readiness.ts'
import { keptUntil } from '../features/limits/plans.ts'
import { OPERATOR_ACCOUNT } from '../features/receiving/operator-inbox.ts'
import { createPurging } from '../features/retention/purge.ts'
import { makeMailPartitions, SweepProgress, sweepExpired } from '../features/retention/sweep.ts'
import type { HttpTimeouts } from '../http/server.ts'
import { readOwnFile } from '../own-files.ts'
import { type Clock, elapsedMs } from '../platform/clock.ts'
import { checkFolder, checkFreeSpace } from '../platform/disk.ts'
import { createIds, type Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { openThreadSignals, type Signals } from '../signals/thread-signals.ts'
import { openStore, type Store } from '../store/open.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'
import { createContentHost } from '../threads/content-host.ts'
import type { Receiving } from '../threads/receiving-host.ts'
import { createApp } from './api.ts'
import { runEvery } from './background.ts'
import { bind } from './bind.ts'
import type { Content } from './content.ts'
import { tellKeptPlans } from './default-plan.ts'
import { startDispatching } from './dispatching.ts'
import { startDomains } from './domains.ts'
import { startEvents } from './events.ts'
import { startHttp, stopHttp } from './http.ts'
import { identityProviders } from './identity-providers.ts'
import { startLimits } from './limits.ts'
import { openCatchAll, openLocalAccount } from './local-account.ts'
import { openOutbound } from './outbound.ts'
import { configuredPlans } from './plans.ts'
import { startPop3 } from './pop3.ts'
import { startSmtp } from './smtp.ts'
import { observeClients } from './smtp-clients.ts'
import { createSpoolWait } from './spool-wait.ts'
import { startStoreClock } from './store-clock.ts'
import { followUpStoredMail, type StoredMailFollowUp } from './stored-mail.ts'
import { startWaiting } from './waiting.ts'

/** A running service. */
export type Service = {
  readonly httpUrl: string
  readonly smtpPort: number
  /** Null without a POP3 server. */
  readonly pop3Port: number | null
  /** A link that opens the dashboard signed in to the local account; null without one. */
  createSignInLink(): Promise<string | null>
  /** Stops accepting, finishes what was accepted, flushes. */
  stop(): Promise<void>
}

/** What a test may replace; a clock needs MAYFLY_SMTP_THREADS=0. */
export type ServiceOverrides = {
  readonly clock?: Clock
  /** How often custom domains are checked. */
  readonly domainSweepMs?: number
  /** False: no local account is created, so that a test's store has no account of its own. */
  readonly hasLocalAccount?: boolean
  readonly httpTimeouts?: HttpTimeouts
}

/** How often expired inboxes and mail past its retention are deleted. */
const SWEEP_MS = 60_000

/** How often readiness may write to see whether writing works. */
const WRITE_CHECK_MS = 1_000

/** How long a client in the middle of a mail may go on when the service stops. */
const SMTP_GRACE_MS = 5_000

/** How long a client may take to read its response when the service stops. */
const HTTP_GRACE_MS = 5_000

/** How long a webhook's receiver may take to answer when the service stops. */
const DISPATCH_GRACE_MS = 2_000

/** Processor time of one thumbnail. The largest image that is decoded takes half of it. */
const THUMBNAIL_CPU_MS_MAX = 4_000

/** What every part of the service works with. */
type Shared = {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly ids: Ids
  readonly store: Store
  readonly signals: Signals
  readonly signalsName: string
  readonly hostName: string
  readonly limitsOf: (plan: Plan) => Limits
}

/** Opens, wires and starts everything; when this returns, both listeners accept. */
export async function startService(
  config: Config,
  log: Log,
  overrides: ServiceOverrides = {},
): Promise<Service> {
  // What is started later is stopped earlier.
  const parts = new AsyncDisposableStack()
  try {
    const shared = await openShared(config, log, { parts, clock: overrides.clock })
    const onWatched: Receiving['watch'] = (id, isWatched) => receiving.watch(id, isWatched)
    const events = startEvents({ ...shared, onWatched })
    parts.defer(events.stop)
    const followUp = followUpStoredMail({ ...shared, ...events })
    parts.defer(followUp.stop)
    const waiting = await startWaiting({ ...shared, events, onWatched })
    parts.defer(waiting.stop)
    const content = await startContent(shared, parts)
    const { local, ...owners } = await openLocal(shared, overrides)
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

    const addresses = { httpUrl: '', smtpPort: config.MAYFLY_SMTP_PORT }
    const baseUrl = () => (config.MAYFLY_BASE_URL ?? addresses.httpUrl).replace(/\/+$/, '')
    const app = createApp({
      ...shared,
      ...limits,
      ...waiting,
      ...observeClients(shared.signals),
      events,
      content,
      baseUrl,
      elapsedMs,
      ...appSettings(config),
      dns: domains.dns,
      fetchLink: outbound.fetchLink,
      ...owners,
      dispatching,
      ...followUp,
      mailHost: shared.hostName,
      smtpAddress: () => `${config.MAYFLY_SMTP_HOST}:${addresses.smtpPort}`,
      caughtUp: receiving.inboxCaughtUp,
      readiness: checkReadiness(shared, { receiving: receiving.started, followUp }),
      describe: describeService(config, addresses, local?.keyFile ?? null),
    })
    const { http, url } = await startHttp({ ...shared, ...overrides, ...receiving, app, baseUrl })
    addresses.httpUrl = url
    parts.defer(async () => {
      // Held waits are answered before the server counts which requests are open.
      waiting.held.close()
      await Promise.all([stopHttp(http, HTTP_GRACE_MS), ...stopBeside(receiving, dispatching)])
    })
    addresses.smtpPort = (await receiving.started).port
    const pop3Port = await startPop3({ ...shared, ...receiving, app, content, parts })
    const createSignInLink = async () => (await local?.signInLink(baseUrl)) ?? null
    return { ...addresses, pop3Port, createSignInLink, stop: () => parts.disposeAsync() }
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}

/**
 * What stops at the same time as the HTTP server, because each may take all of its time. Replays
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
  return { local, localAccount: local?.accountId ?? null, catchAllOwner }
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

/** What the features take from the configuration as it is. */
function appSettings(config: Config) {
  return {
    domains: { public: config.MAYFLY_DOMAINS, private: config.MAYFLY_PRIVATE_DOMAINS },
    defaultPlan: config.MAYFLY_DEFAULT_PLAN,
    registrationsPerHour: config.MAYFLY_REGISTRATIONS_PER_HOUR,
    providers: identityProviders(config),
    isScanned: config.MAYFLY_CLAMD !== null,
    releaseHosts: config.MAYFLY_RELEASE_HOSTS,
  }
}

async function openShared(
  config: Config,
  log: Log,
  { parts, clock: ownClock }: { parts: AsyncDisposableStack; clock: Clock | undefined },
): Promise<Shared> {
  const store = await openStore({
    url: config.MAYFLY_DATABASE_URL,
    directUrl: config.MAYFLY_DATABASE_DIRECT_URL,
    exclusive: true,
    turnsBy: elapsedMs,
    syncsInBackground: true,
    connectionsMax: config.MAYFLY_DATABASE_CONNECTIONS,
    onLeft: bind(log, tellLeft),
  })
  parts.defer(() => store.close())
  await tellKeptPlans({ store, config, log })
  const { clock, stop } = await startStoreClock(store, log)
  parts.defer(stop)
  const ids = createIds(ownClock ?? clock)
  const signalsName = ids.requestId()
  const signals = openThreadSignals(signalsName)
  parts.defer(() => signals.close())
  return {
    config,
    log,
    clock: ownClock ?? clock,
    ids,
    store,
    signals,
    signalsName,
    hostName: config.MAYFLY_MAIL_HOST ?? `mx.${config.MAYFLY_DOMAINS[0]}`,
    limitsOf: configuredPlans(config),
  }
}

function tellLeft(log: Log, error: unknown): void {
  log.warn({ err: error }, 'deleting mails or deliveries failed; the retention sweep tries again')
}

/** The port is read at each call: it is known when the listener has started. */
function describeService(
  config: Config,
  addresses: { readonly smtpPort: number },
  localKeyFile: string | null,
) {
  const version = packageVersion()
  return () => {
    const smtp = { host: config.MAYFLY_SMTP_HOST, port: addresses.smtpPort }
    return { version, smtp, localKeyFile }
  }
}

/** The version of this package; it lies at the same place beside the source and the build. */
function packageVersion(): string {
  const manifest = readOwnFile(new URL('../../package.json', import.meta.url))
  // Our own package.json.
  return (JSON.parse(manifest.toString()) as { readonly version: string }).version
}

/**
 * Reads mail content in a thread of its own, unless receiving has none either.
 *
 * Images are always decoded in another thread, which the first thumbnail starts: a decoder that
 * does not end is terminated, and other calls do not wait for it.
 */
async function startContent(
  { config, store, log }: Shared,
  parts: AsyncDisposableStack,
): Promise<Content> {
  const startHost = (cpuMsMax?: number) => {
    const host = createContentHost({
      databaseUrl: config.MAYFLY_DATABASE_URL,
      directUrl: config.MAYFLY_DATABASE_DIRECT_URL,
      onFailure: ({ call, error }) =>
        log.error({ err: error, call }, 'reading a mail failed; the content thread starts again'),
      onLeft: bind(log, tellLeft),
      ...(cpuMsMax === undefined ? {} : { cpuMsMax }),
    })
    parts.defer(host.stop)
    return host.content
  }
  const content =
    config.MAYFLY_SMTP_THREADS === 0
      ? (await import('./content.ts')).createContent(store)
      : startHost()
  const { composeThumbnail } = startHost(THUMBNAIL_CPU_MS_MAX)
  return { ...content, composeThumbnail }
}

function beginReceiving(options: Parameters<typeof startSmtp>[0] & Shared) {
  const { store, signals } = options
  const wait = createSpoolWait(store, signals.announce)
  const started = makeMailPartitions(options).then(() => startSmtp(options))
  let running: Receiving | null = null
  const known = started.then(
    (receiving) => {
      running = receiving
    },
    // It is thrown where `started` is awaited; until then it must not end the process.
    () => {},
  )
  /** As of `Receiving`; before it has started, mails from before a crash may not be stored. */
  const caughtUp = (
    { accountId, hasSpooledMail }: Pick<Caller, 'accountId' | 'hasSpooledMail'>,
    inboxId?: InboxId,
  ) => {
    const own = running === null ? known : running.caughtUp(accountId, inboxId)
    return hasSpooledMail ? Promise.resolve(own).then(() => wait(accountId, inboxId)) : own
  }
  return {
    started,
    caughtUp,
    /** The same without waiting. */
    isCaughtUp: (inboxId: InboxId) => running?.isCaughtUp(inboxId) ?? false,
    /** The same for an inbox, as far as any node knows now. */
    inboxCaughtUp: (accountId: AccountId, inboxId: InboxId) =>
      caughtUp({ accountId, hasSpooledMail: store.isShared }, inboxId),
    /** As of `Receiving`; for requests, which wait until it has started. */
    watch: (id: InboxId | AccountId, isWatched: boolean) => running?.watch(id, isWatched),
    stop: async () => {
      const receiving = await started.catch(() => null)
      await receiving?.stop(SMTP_GRACE_MS)
    },
  }
}

function startRetention(shared: Shared, content: Content): () => Promise<void> {
  const { store, log, limitsOf } = shared
  const stopping = new AbortController()
  const { signal } = stopping
  const deps = {
    ...shared,
    keptUntil: bind(limitsOf, keptUntil),
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
