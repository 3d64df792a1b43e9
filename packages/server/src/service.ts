import type { Limits, Plan } from '@mayfly/contract'
import { createApp } from './app.ts'
import type { Config } from './config.ts'
import type { DomainRecords } from './features/domains/records.ts'
import { type Finding, recordFindings } from './features/follow-up/record.ts'
import { plansWith } from './features/limits/plans.ts'
import { createGroupCommit } from './features/receiving/group-commit.ts'
import { ensureOperatorInbox } from './features/receiving/operator-inbox.ts'
import { sweepExpired } from './features/retention/sweep.ts'
import { startFollowUp } from './follow-up-worker.ts'
import type { HandleMcp } from './http/mcp.ts'
import { createHttpServer, type HttpServer } from './http/server.ts'
import type { McpDeps } from './mcp/exchange.ts'
import { type Clock, elapsedMs, systemClock } from './platform/clock.ts'
import { createIds } from './platform/ids.ts'
import type { Log } from './platform/log.ts'
import { type Receiving, startReceiving } from './receiving-worker.ts'
import { type ArrivalWatch, watchArrivals } from './service/arrival-watch.ts'
import { runEvery } from './service/background.ts'
import { certificate } from './service/certificate.ts'
import { type Dispatching, startDispatching } from './service/dispatching.ts'
import { startDomains } from './service/domains.ts'
import { createFollowUpThread } from './service/follow-up-thread.ts'
import { identityProviders } from './service/identity-providers.ts'
import { type LimitParts, startLimits } from './service/limits.ts'
import { listenError } from './service/listen-error.ts'
import { type Outside, openOutside } from './service/outside.ts'
import { startReceivingThreads } from './service/receiving-threads.ts'
import { openStore, type Store } from './store/open.ts'
import { openThreadSignals, type Signal, type Signals } from './store/signals.ts'

/** A running service. */
export type Service = {
  readonly httpUrl: string
  readonly smtpPort: number
  /** Stops accepting, finishes what was accepted, flushes. */
  stop(): Promise<void>
}

/** What a test may put in place of the machine's own; a clock needs MAYFLY_SMTP_THREADS=0. */
export type ServiceOverrides = {
  readonly clock?: Clock
  /** How often custom domains are looked at. */
  readonly domainSweepMs?: number
}

/** How often what is no longer kept is looked for. */
const SWEEP_MS = 60_000

/** How far back unfinished sender checks are taken up again at a start. */
const UNCHECKED_MS = 60 * 60 * 1000
const UNCHECKED_MAX = 1_000

/**
 * Kept free after each write of what followed up on mail: it holds up receiving and the API for
 * as long as the disk takes, and nobody waits for it by the millisecond.
 */
const RECORD_REST_MS = 50

/** How long a client in the middle of a mail may go on when the service stops. */
const SMTP_GRACE_MS = 5_000

/** How long a webhook's receiver may still take to answer then. */
const DISPATCH_GRACE_MS = 2_000

/** Everything that the parts of the service share. */
type Shared = {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
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
  const shared = await openShared(config, log, overrides.clock ?? systemClock)
  const { store, signals, signalsName } = shared
  const ids = createIds(shared.clock)
  const started: (() => Promise<void>)[] = [
    async () => {
      signals.close()
      await store.close()
    },
  ]
  const stop = async () => {
    for (const stopPart of started.toReversed()) await stopPart()
  }
  try {
    started.push(await followUps(shared))
    const watch = await watchArrivals({
      ...shared,
      databaseUrl: config.MAYFLY_DATABASE_URL,
      node: signalsName,
    })
    started.push(watch.stop)
    const outside = openOutside(config)
    started.push(outside.stop)
    const receiving = beginReceiving(shared)
    started.push(receiving.stop)
    const dispatching = await startDispatching({ ...shared, outbound: outside.outbound })
    started.push(() => dispatching.stop(DISPATCH_GRACE_MS))
    const limits = startLimits({ ...shared, ids })
    started.push(limits.stop)
    started.push(startBackground(shared))
    const domains = startDomains({ ...shared, ...overrides })
    started.push(domains.stop)
    let smtpPort = config.MAYFLY_SMTP_PORT
    const parts = {
      ...{ watch, outside, dispatching, limits, dns: domains.dns },
      smtpPort: () => smtpPort,
    }
    const { http, httpUrl } = await startHttp(shared, parts)
    started.push(async () => {
      // Held waits are answered before the server counts who is still served.
      watch.arrivals.close()
      // Events that are sent on demand are part of what it serves.
      await Promise.all([http.close(), dispatching.stop(DISPATCH_GRACE_MS)])
    })
    smtpPort = (await receiving.started).port
    return { httpUrl, smtpPort, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function openShared(config: Config, log: Log, clock: Clock): Promise<Shared> {
  const store = await openStore({
    url: config.MAYFLY_DATABASE_URL,
    exclusive: true,
    connectionsMax: config.MAYFLY_DATABASE_CONNECTIONS,
  })
  const signalsName = createIds(clock).requestId()
  const signals = openThreadSignals(signalsName)
  const hostName = config.MAYFLY_MAIL_HOST ?? `mx.${config.MAYFLY_DOMAINS[0]}`
  return { config, log, clock, store, signals, signalsName, hostName, limitsOf: plansOf(config) }
}

/** Begins to receive: its threads take as long to load as all the rest, so both go on at once. */
function beginReceiving(shared: Shared) {
  const started = startSmtp(shared)
  // Whoever awaits it is told; until then a failure must not end the process.
  started.catch(() => {})
  return {
    started,
    stop: async () => {
      const receiving = await started.catch(() => null)
      await receiving?.stop(SMTP_GRACE_MS)
    },
  }
}

function plansOf(config: Config): (plan: Plan) => Limits {
  return plansWith({
    key_only: config.MAYFLY_PLAN_KEY_ONLY,
    connected: config.MAYFLY_PLAN_CONNECTED,
    unlimited: config.MAYFLY_PLAN_UNLIMITED,
  })
}

/** What the API needs beside what all share. */
type HttpParts = {
  readonly watch: ArrivalWatch
  readonly outside: Outside
  readonly dispatching: Dispatching
  readonly smtpPort: () => number
  readonly limits: LimitParts
  readonly dns: DomainRecords
}

async function startHttp(shared: Shared, parts: HttpParts) {
  const { config, clock, log, store, hostName, limitsOf } = shared
  const ids = createIds(clock)
  let httpUrl = ''
  const baseUrl = () => (config.MAYFLY_BASE_URL ?? httpUrl).replace(/\/+$/, '')
  const app = createApp({
    store,
    clock,
    ids,
    baseUrl,
    domains: { public: config.MAYFLY_DOMAINS, private: config.MAYFLY_PRIVATE_DOMAINS },
    defaultPlan: config.MAYFLY_DEFAULT_PLAN,
    limitsOf,
    registrationsPerHour: config.MAYFLY_REGISTRATIONS_PER_HOUR,
    ...parts.limits,
    dns: parts.dns,
    providers: identityProviders(config),
    arrivals: parts.watch.arrivals,
    announce: parts.watch.announce,
    lastConnectionAt: parts.watch.lastConnectionAt,
    fetchLink: parts.outside.fetchLink,
    dispatching: parts.dispatching,
    elapsedMs,
    mailHost: hostName,
    smtpAddress: () => `${config.MAYFLY_SMTP_HOST}:${parts.smtpPort()}`,
  })
  const http = await createHttpServer({
    app,
    log,
    newRequestId: () => ids.requestId(),
    baseUrl,
    handleMcp: mcpWhenAsked({ app, ids, log, elapsedMs }),
    metrics: config.MAYFLY_METRICS,
    trustedProxies: config.MAYFLY_TRUSTED_PROXIES,
  })
  httpUrl = await listen(http, config)
  return { http, httpUrl }
}

/** The endpoint for agents; its library is loaded with the first call, not with the start. */
function mcpWhenAsked(deps: McpDeps): HandleMcp {
  let loading: Promise<HandleMcp> | null = null
  return async (request) => {
    loading ??= import('./mcp/server.ts').then(({ createMcp }) => createMcp(deps))
    return (await loading)(request)
  }
}

async function listen(http: HttpServer, config: Config): Promise<string> {
  try {
    return await http.listen({
      host: config.MAYFLY_HTTP_HOST,
      port: config.MAYFLY_HTTP_PORT,
      listenTextResolver: (address) => `listening at ${address}`,
    })
  } catch (error) {
    await http.close()
    throw listenError(error, 'MAYFLY_HTTP')
  }
}

async function startSmtp(shared: Shared): Promise<Receiving> {
  const { config, log, signalsName, hostName, clock } = shared
  const options = {
    config,
    hostName,
    operatorAddress: await ensureOperatorInbox(shared, config.MAYFLY_DOMAINS[0] ?? ''),
    port: config.MAYFLY_SMTP_PORT,
    tls: certificate(config, hostName, clock),
  }
  const count = config.MAYFLY_SMTP_THREADS
  const onCrash = (error: unknown) => {
    log.fatal({ err: error }, 'the receiving thread died')
    process.exit(1)
  }
  try {
    if (count === 0) return await startReceiving(shared, options)
    return await startReceivingThreads({ options, count, signals: signalsName, onCrash })
  } catch (error) {
    throw listenError(error, 'MAYFLY_SMTP')
  }
}

/** Starts what follows each stored mail; returns how to stop it. */
async function followUps(shared: Shared): Promise<() => Promise<void>> {
  const { config, hostName, signals, log, store, clock } = shared
  const announce = (inboxIds: Signal['inboxIds']) => signals.announce({ inboxIds, mailIds: [] })
  const record = createGroupCommit(
    (findings: readonly Finding[]) => recordFindings({ store, announce }, findings),
    RECORD_REST_MS,
  )
  const onCrash = (error: unknown) => {
    log.error({ err: error }, 'the follow-up thread died; sender checks stop')
  }
  const followUp =
    config.MAYFLY_SMTP_THREADS === 0
      ? startFollowUp({ ...shared, record })
      : createFollowUpThread({ followUp: { config, hostName } }, { record, onCrash })
  const stopListening = signals.listen(({ mailIds }) => {
    if (mailIds.length > 0) followUp.add(mailIds)
  })
  const left = await store.mails.listUnchecked(clock.now() - UNCHECKED_MS, UNCHECKED_MAX)
  if (left.length > 0) followUp.add(left.toReversed())
  return async () => {
    stopListening()
    await followUp.stop()
  }
}

/** Starts what runs by the clock; returns how to stop it. */
function startBackground(shared: Shared): () => Promise<void> {
  const { store, clock, log, limitsOf } = shared
  const sweeping = runEvery(SWEEP_MS, { name: 'the sweep', log }, async () => {
    await sweepExpired({ store, clock, limitsOf })
  })
  return () => sweeping.stop()
}
