// The receiving side: SMTP, parsing, detection, commit. Usually a thread of its own, so that a
// burst of mail or a hostile one never delays an answer of the API.

import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import type { Config } from './config.ts'
import { StorageUnavailable } from './errors.ts'
import { type Admitted, admitRecipient } from './features/receiving/admit.ts'
import { type CommitDeps, commitMails } from './features/receiving/commit.ts'
import { FloodGuard } from './features/receiving/flood.ts'
import { createGroupCommit } from './features/receiving/group-commit.ts'
import { receiveMail } from './features/receiving/receive.ts'
import { RefusalLog, type RefusedWhy } from './features/receiving/refusals.ts'
import { composeDeliveries } from './features/webhooks/event.ts'
import { type Clock, elapsedMs, systemClock } from './platform/clock.ts'
import { createIds } from './platform/ids.ts'
import { createLog, type Log } from './platform/log.ts'
import { type MailHandler, REFUSAL_REPLIES } from './smtp/handler.ts'
import { startSmtpServer } from './smtp/server.ts'
import { openStore, type Store } from './store/open.ts'
import { openThreadSignals, type Signals } from './store/signals.ts'

/** What a receiving thread is told. */
export type ReceivingOptions = {
  readonly config: Config
  readonly hostName: string
  readonly operatorAddress: string
  readonly port: number
  readonly tls: { readonly cert: string; readonly key: string }
}

/** What the receiving side works with. */
export type ReceivingDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly signals: Signals
}

/** A receiving side that listens. */
export type Receiving = { readonly port: number; stop(graceMs: number): Promise<void> }

/** What a receiving thread is started with. */
export type ReceivingWorkerData = { readonly receiving: ReceivingOptions; readonly signals: string }

/** What the threads say to each other. */
export type ReceivingMessage =
  | { readonly type: 'listening'; readonly port: number }
  /** An error loses its code on the way between threads: it travels beside it. */
  | { readonly type: 'failed'; readonly error: unknown; readonly code: string | null }
  | { readonly type: 'stop'; readonly graceMs: number }

/** How often a connection is worth telling. */
const CONNECTION_TOLD_MS = 1_000

/** How often counts of refusals are written. */
const FLUSH_MS = 10_000

/** Starts to receive on this thread. */
export async function startReceiving(
  deps: ReceivingDeps,
  options: ReceivingOptions,
): Promise<Receiving> {
  const { config } = options
  const refusals = new RefusalLog({
    ...deps,
    newId: createIds(deps.clock).diagnosticId,
    ourDomains: [...config.MAYFLY_DOMAINS, ...config.MAYFLY_PRIVATE_DOMAINS],
    replyFor: (why) => REFUSAL_REPLIES[why],
    announce: (inboxIds) => deps.signals.announce({ inboxIds, mailIds: [] }),
  })
  const smtp = await startSmtpServer<Admitted>({
    handler: createHandler(deps, options, refusals),
    hostname: options.hostName,
    host: config.MAYFLY_SMTP_HOST,
    port: options.port,
    reusePort: config.MAYFLY_SMTP_THREADS > 1,
    tls: options.tls,
    acceptAnyAuth: config.MAYFLY_SMTP_ACCEPT_ANY_AUTH,
    limits: { messageBytesMax: config.MAYFLY_SMTP_MAX_MESSAGE_BYTES },
    now: elapsedMs,
    onConnection: connectionTeller(deps),
    onError: (error) => deps.log.error({ err: error }, 'receiving failed'),
  })
  const flush = () =>
    refusals.flush().catch((error: unknown) => {
      deps.log.warn({ err: error }, 'refusals could not be counted')
    })
  const flushing = setInterval(flush, FLUSH_MS)
  return {
    port: smtp.port,
    stop: async (graceMs) => {
      await smtp.stop(graceMs)
      clearInterval(flushing)
      await flush()
    },
  }
}

/** Tells the other threads that clients connect, once a second at the most. */
function connectionTeller(deps: ReceivingDeps): () => void {
  let toldAt = 0
  return () => {
    const connectedAt = deps.clock.now()
    if (connectedAt - toldAt < CONNECTION_TOLD_MS) return
    toldAt = connectedAt
    deps.signals.announce({ inboxIds: [], mailIds: [], connectedAt })
  }
}

function createHandler(
  deps: ReceivingDeps,
  options: ReceivingOptions,
  refusals: RefusalLog,
): MailHandler<Admitted> {
  const ids = createIds(deps.clock)
  const events = { newEventId: () => ids.next('event'), now: () => deps.clock.now() }
  const commit = {
    store: deps.store,
    newMessageId: () => ids.next('message'),
    composeDeliveries: (...arrived: Parameters<CommitDeps['composeDeliveries']>) =>
      composeDeliveries(events, ...arrived),
    announce: deps.signals.announce,
  }
  const receive = {
    clock: deps.clock,
    ids,
    hostName: options.hostName,
    onError: (error: unknown) => deps.log.error({ err: error }, 'a mail could not be read'),
    refusals,
    commit: createGroupCommit((batch: Parameters<typeof commitMails>[1]) =>
      commitMails(commit, batch),
    ),
    isScanned: options.config.MAYFLY_CLAMD !== null,
  }
  const admit = {
    ...deps,
    refusals,
    floods: new FloodGuard(),
    operatorAddress: options.operatorAddress,
  }
  return {
    admit: (address, envelope) =>
      admitRecipient(admit, address, envelope).catch((error: unknown) => {
        const why = storageWhy(error)
        return { state: 'refused', why }
      }),
    receive: (mail) => receiveMail(receive, mail).catch(storageWhy),
    turnedAway: ({ envelope, recipients, reply, reason }) => {
      const inboxIds = [...new Set(recipients.map(({ inboxId }) => inboxId))]
      const from = `from <${envelope.mailFrom}> at ${envelope.remoteAddress}`
      refusals
        .noteTurnedAway(inboxIds, `${reply} (${reason.replaceAll('_', ' ')}; ${from})`)
        .catch((error: unknown) => deps.log.warn({ err: error }, 'a refusal was not written'))
    },
  }
}

/** What the client is told when the storage fails; anything else is our bug. */
function storageWhy(error: unknown): Extract<RefusedWhy, 'unavailable' | 'storage_full'> {
  if (!(error instanceof StorageUnavailable)) throw error
  return error.full ? 'storage_full' : 'unavailable'
}

if (!isMainThread && parentPort !== null && 'receiving' in workerData) {
  // Checked by its name just now; only the service starts this file as a thread.
  await runThread(workerData as ReceivingWorkerData, parentPort)
}

async function runThread(
  { receiving: options, signals: name }: ReceivingWorkerData,
  port: NonNullable<typeof parentPort>,
): Promise<void> {
  const tell = (message: ReceivingMessage) => port.postMessage(message)
  try {
    const { config } = options
    const store = await openStore({
      url: config.MAYFLY_DATABASE_URL,
      exclusive: false,
      syncsApart: true,
    })
    const log = createLog(config.MAYFLY_LOG_LEVEL)
    const signals = openThreadSignals(name)
    const deps = { store, log, signals, clock: systemClock }
    const receiving = await startReceiving(deps, options)
    port.on('message', async (message: ReceivingMessage) => {
      if (message.type !== 'stop') return
      await receiving.stop(message.graceMs)
      await store.close()
      signals.close()
      port.close()
    })
    tell({ type: 'listening', port: receiving.port })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    tell({ type: 'failed', error, code })
  }
}
