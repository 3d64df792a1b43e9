// Wires the path of a mail (receiving/) to the store, on a receiving thread.

import type { InboxId } from '@mayfly/contract'
import { type FailedHandshake, REFUSAL_REPLIES } from '@mayfly/smtp'
import type { Config } from '../config/config.ts'
import { authenticate } from '../features/accounts/authenticate.ts'
import { RefusalLog, recordEvents } from '../features/diagnostics/refusal-log.ts'
import { type Attempt, injectFault } from '../features/faults/inject.ts'
import { STORED_BYTES_MAX } from '../features/rules/plans.ts'
import { isLocalHost } from '../ip-address.ts'
import { runEvery } from '../platform/background.ts'
import { createBatching } from '../platform/batching.ts'
import { type Clock, elapsedMs } from '../platform/clock.ts'
import { createIds, type Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { Throttle } from '../platform/throttle.ts'
import { findSenderInbox } from '../receiving/authenticate-sender.ts'
import { catchAllOf } from '../receiving/catch-all-inbox.ts'
import { createHandler, type HandlerDeps, type ReceivingHandler } from '../receiving/handler.ts'
import { MailStoring, type StoreBatch } from '../receiving/mail-storing.ts'
import { StorageQuota } from '../receiving/storage-quota.ts'
import { StorageRefusals } from '../receiving/storage-refusals.ts'
import { storeMails } from '../receiving/store-mails.ts'
import type { FailedHandshakes, RefusedCommand, Signals } from '../signals/thread-signals.ts'
import { openStore, type Store } from '../store/open.ts'
import { bind } from './bind.ts'
import { keySearch } from './key-search.ts'
import { configuredPlans } from './plans.ts'
import type {
  ReceivingHelpers,
  ReceivingOptions,
  ReceivingThreadData,
} from './receiving-options.ts'
import { startStoreClock } from './store-clock.ts'

/** Handles the calls of the SMTP server. */
export type MailHandling = {
  readonly handler: ReceivingHandler
  /** Throws when mails cannot be stored. */
  check(): Promise<void>
  stop(): Promise<void>
}

/** The dependencies of mail handling. */
type HandlingDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly signals: Pick<Signals, 'announce'>
}

/** Shortest time between two signals of refused commands. */
const REFUSAL_SIGNAL_MS = 1_000

/** Characters of an address or a user name in a signal. */
const REFUSED_NAME_LENGTH_MAX = 100

/** Shortest time between two signals of failed TLS handshakes. */
const HANDSHAKE_SIGNAL_MS = 100

/** Concurrent queries for recipients; recipients that come meanwhile share the next one. */
const RECIPIENT_QUERIES_MAX = 2

/** How often refusals counted by domain are written. */
const FLUSH_MS = 10_000

/** Another thread stores the mails on SQLite, so a batch may take longer. */
const SQLITE_BATCH_MAX = { mails: 200, bytes: 1024 * 1024 }

/** On PostgreSQL the thread of the dialogues composes the mails, and must continue soon. */
const POSTGRES_BATCH_MAX = { mails: 50, bytes: 256 * 1024 }

/** How long a transaction whose COMMIT got no response is run again; clients wait for minutes. */
const UNCERTAIN_MS_MAX = 20_000

/** Opens the store and starts to handle mails. */
export async function openMailHandling(
  { options, clockMemory }: ReceivingThreadData,
  given: ReceivingHelpers & { readonly signals: Pick<Signals, 'announce'> },
): Promise<MailHandling> {
  const { config } = options
  const { log, signals, storing, composeLarge } = given
  await using opening = new AsyncDisposableStack()
  const store = await openStore({
    url: config.MAYFLY_DATABASE_URL,
    directUrl: config.MAYFLY_DATABASE_DIRECT_URL,
    exclusive: false,
    isMigrated: true,
    syncsInBackground: true,
  })
  opening.defer(() => store.close())
  const { clock, stop: stopClock } = await startStoreClock(store, log, clockMemory)
  opening.defer(stopClock)
  const deps = { store, log, signals, clock, ids: createIds(clock) }
  const mails = new MailStoring({
    log,
    storeBatch: storing?.storeBatch ?? (await createStoreBatch(deps, options)),
    ping: () => store.ping(),
    batchMax: storing === null ? POSTGRES_BATCH_MAX : SQLITE_BATCH_MAX,
    uncertainMsMax: storing === null ? UNCERTAIN_MS_MAX : 0,
  })
  opening.defer(() => mails.stop())
  const handler = startHandler(deps, { options, mails, composeLarge, parts: opening })
  const opened = opening.move()
  return {
    handler,
    check: async () => {
      await store.ping()
      mails.check()
    },
    stop: () => opened.disposeAsync(),
  }
}

/** Composes and stores mails on this thread. The modules for it are loaded only here. */
async function createStoreBatch(
  { store, clock, ids, log, signals }: HandlingDeps,
  { config, hostName }: ReceivingOptions,
): Promise<StoreBatch> {
  const { createCompose } = await import('../receiving/compose.ts')
  const compose = createCompose({ hostName, isScanned: config.MAYFLY_CLAMD !== null, log })
  const deps = { store, clock, ids, announce: signals.announce }
  return (batch, how) => storeMails(deps, compose(batch), how)
}

function startHandler(
  deps: HandlingDeps,
  {
    options,
    mails,
    composeLarge,
    parts,
  }: Pick<ReceivingHelpers, 'composeLarge'> & {
    readonly options: ReceivingOptions
    readonly mails: MailStoring
    readonly parts: AsyncDisposableStack
  },
): ReceivingHandler {
  const { store, clock, ids, log, signals } = deps
  const { config, catchAllOwner: owner } = options
  const domain = config.MAYFLY_DOMAINS[0] ?? ''
  const failures = new StorageRefusals(log)
  parts.defer(() => failures.stop())
  const quota = new StorageQuota({
    storedBytesMax: (plan) => STORED_BYTES_MAX[plan],
    sumBytes: (accountId) => store.receiving.sumBytes(accountId),
    elapsedMs,
  })
  const announce = signalChanges(signals)
  const faults = {
    ...{ store, clock, announce },
    newDiagnosticId: () => ids.next('diagnostic'),
    fraction: () => ids.fraction(),
  }
  return createHandler({
    ...{ store, clock, ids, failures },
    refusals: startRefusalLog(deps, config, parts),
    injectFault: (attempt: Attempt) => injectFault(faults, attempt),
    hasStorageQuota: (accountId, plan) => quota.hasRoom(accountId, plan),
    countStored: (accountId, bytes) => quota.add(accountId, bytes),
    limitsOf: configuredPlans(config),
    ourDomains: receivingDomains(config),
    operatorAddress: options.operatorAddress,
    findRecipient: createRecipientSearch(store),
    findSenderInbox: bind({ store, clock }, findSenderInbox),
    catchAll: owner === null ? null : catchAllOf(deps, { owner, domain }),
    authenticate: bind(keySearch(store, clock, config.MAYFLY_CELL), authenticate),
    accepts: acceptedLogins(config),
    defaultDomain: domain,
    composeLarge,
    storeMail: (mail) => mails.store(mail),
    onUnrecorded: (error) =>
      log.warn({ err: error }, 'a refused mail could not be recorded in the diagnostics'),
    handshakeFailed: signalHandshakes(deps, parts),
  })
}

const signalChanges = (signals: HandlingDeps['signals']) => (inboxIds: readonly InboxId[]) =>
  signals.announce({ name: 'inboxesChanged', inboxIds })

function startRefusalLog(
  { store, clock, ids, log, signals }: HandlingDeps,
  config: Config,
  parts: AsyncDisposableStack,
): RefusalLog {
  const unplaced = new Throttle<RefusedCommand>(REFUSAL_SIGNAL_MS, (refused) => {
    const name = refused.name.slice(0, REFUSED_NAME_LENGTH_MAX)
    signals.announce({ name: 'commandRefused', refused: { ...refused, name } })
  })
  const announce = signalChanges(signals)
  const refusals = new RefusalLog({
    store,
    clock,
    newId: () => ids.next('diagnostic'),
    ourDomains: receivingDomains(config),
    replyText: (reply) => REFUSAL_REPLIES[reply],
    onUnplaced: (kind, name, reply) => unplaced.add({ at: clock.now(), kind, name, reply }),
    record: createBatching((batches: Parameters<typeof recordEvents>[1]) =>
      recordEvents({ store, announce }, batches),
    ),
  })
  const about = { name: 'writing the counts of refusals', log }
  const flushing = runEvery(FLUSH_MS, about, () => refusals.flush())
  parts.defer(async () => {
    unplaced.stop()
    await flushing.stop()
    await refusals.flush().catch((error: unknown) => {
      log.warn({ err: error }, 'the last counts of refusals could not be written')
    })
  })
  return refusals
}

/** Signals TLS handshakes that failed; those above a few a second go with a later signal. */
function signalHandshakes(
  { clock, signals }: HandlingDeps,
  parts: AsyncDisposableStack,
): (failed: FailedHandshake) => void {
  let count = 0
  const throttle = new Throttle<Omit<FailedHandshakes, 'count'>>(HANDSHAKE_SIGNAL_MS, (last) => {
    signals.announce({ name: 'handshakesFailed', failed: { ...last, count } })
    count = 0
  })
  parts.defer(() => throttle.stop())
  return (failed) => {
    count += 1
    throttle.add({ ...failed, at: clock.now() })
  }
}

/** Only programs of this machine, or of a private network, can try logins that have no effect. */
function acceptedLogins(config: Config): HandlerDeps['accepts'] {
  if (config.MAYFLY_SMTP_ACCEPT_ANY_AUTH) return 'any'
  const isPrivate = isLocalHost(config.MAYFLY_SMTP_HOST) || config.MAYFLY_CATCH_ALL === 'open'
  return isPrivate ? 'foreign' : 'own'
}

function receivingDomains(config: Config): readonly string[] {
  return [...config.MAYFLY_DOMAINS, ...config.MAYFLY_PRIVATE_DOMAINS]
}

/** Finds recipients; on PostgreSQL those that are ready in one query, for each is a round trip. */
function createRecipientSearch({ isShared, receiving }: Store) {
  if (!isShared) return (address: string) => receiving.findRecipient(address)
  return createBatching((addresses: readonly string[]) => receiving.listRecipients(addresses), {
    runsMax: RECIPIENT_QUERIES_MAX,
  })
}
