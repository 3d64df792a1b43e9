// The receiving side: SMTP, parsing, detection, commit. It usually runs in threads of its own
// (threads/receiving-*), so that a burst of mail or a hostile one never delays the API.

import type { InboxId } from '@mayfly/contract'
import { type MailHandler, REFUSAL_REPLIES, startSmtpServer } from '@mayfly/smtp'
import type { Config } from '../config/config.ts'
import { StorageUnavailable } from '../errors.ts'
import { RefusalLog, type RefusalReply, recordEvents } from '../features/diagnostics/refusal-log.ts'
import { type Admitted, admitRecipient } from '../features/receiving/admit.ts'
import { type CommitDeps, commitMails } from '../features/receiving/commit.ts'
import { FloodGuard } from '../features/receiving/flood.ts'
import { ensureOperatorInbox } from '../features/receiving/operator-inbox.ts'
import { receiveMail } from '../features/receiving/receive.ts'
import { composeDeliveries } from '../features/webhooks/event.ts'
import { type Clock, elapsedMs } from '../platform/clock.ts'
import { createGroupCommit } from '../platform/group-commit.ts'
import { createIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import {
  type Receiving,
  type ReceivingOptions,
  startReceivingThreads,
} from '../threads/receiving-host.ts'
import { certificate } from './certificate.ts'
import { listenError } from './http.ts'

/** What the receiving side works with. */
export type ReceivingDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly signals: Signals
}

/** How often a connection is worth telling. */
const CONNECTION_TOLD_MS = 1_000

/** How often counts of refusals are written. */
const FLUSH_MS = 10_000

/** Starts to receive, in as many threads as are configured, or in this one for none. */
export async function startSmtp(
  deps: ReceivingDeps & {
    readonly config: Config
    readonly hostName: string
    readonly signalsName: string
  },
): Promise<Receiving> {
  const { config, log, signalsName, hostName, clock } = deps
  const options = {
    config,
    hostName,
    operatorAddress: await ensureOperatorInbox(deps, config.MAYFLY_DOMAINS[0] ?? ''),
    port: config.MAYFLY_SMTP_PORT,
    tls: certificate(config, hostName, clock),
  }
  const count = config.MAYFLY_SMTP_THREADS
  const onCrash = (error: unknown) => {
    log.fatal({ err: error }, 'the receiving thread ended')
    process.exit(1)
  }
  try {
    if (count === 0) return await startReceiving(deps, options)
    return await startReceivingThreads({ options, count, signalsName, onCrash })
  } catch (error) {
    throw listenError(error, 'MAYFLY_SMTP')
  }
}

/** Starts to receive on this thread. */
export async function startReceiving(
  deps: ReceivingDeps,
  options: ReceivingOptions,
): Promise<Receiving> {
  const { config } = options
  const refusals = createRefusalLog(deps, config)
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

function createRefusalLog(deps: ReceivingDeps, config: Config): RefusalLog {
  const { store, clock, signals } = deps
  const ids = createIds(clock)
  const announce = (inboxIds: readonly InboxId[]) => signals.announce({ inboxIds, mailIds: [] })
  return new RefusalLog({
    store,
    clock,
    newId: () => ids.next('diagnostic'),
    ourDomains: [...config.MAYFLY_DOMAINS, ...config.MAYFLY_PRIVATE_DOMAINS],
    replyText: (reply) => REFUSAL_REPLIES[reply],
    record: createGroupCommit((batches: Parameters<typeof recordEvents>[1]) =>
      recordEvents({ store, announce }, batches),
    ),
  })
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
    rejected: ({ envelope, recipients, reply, reason }) => {
      const inboxIds = [...new Set(recipients.map(({ inboxId }) => inboxId))]
      refusals
        .addRejectedMail({ inboxIds, reply, reason: { code: reason }, sender: envelope })
        .catch((error: unknown) => deps.log.warn({ err: error }, 'a refusal was not written'))
    },
  }
}

/** What the client is told when the storage fails; anything else is our bug. */
function storageWhy(error: unknown): Extract<RefusalReply, 'unavailable' | 'storage_full'> {
  if (!(error instanceof StorageUnavailable)) throw error
  return error.full ? 'storage_full' : 'unavailable'
}
