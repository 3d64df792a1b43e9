// What is done with senders, recipients and mails that the SMTP server passes on: admission,
// parsing, detection, commit.

import type { AccountId, InboxId, Plan } from '@mayfly/contract'
import {
  BAD_CREDENTIALS_REPLY,
  type FailedHandshake,
  type IncomingMail,
  type MailHandler,
  REFUSAL_REPLIES,
} from '@mayfly/smtp'
import type { Config } from '../config/config.ts'
import { StorageUnavailable } from '../errors.ts'
import { authenticate } from '../features/accounts/authenticate.ts'
import { RefusalLog, recordEvents } from '../features/diagnostics/refusal-log.ts'
import { type Attempt, injectFault } from '../features/faults/inject.ts'
import { keptUntil, STORED_BYTES_MAX } from '../features/limits/plans.ts'
import { AccountRoom } from '../features/receiving/account-room.ts'
import {
  type AdmittedRecipient,
  admitRecipient,
  type CatchAll,
} from '../features/receiving/admit.ts'
import { admitSender } from '../features/receiving/admit-sender.ts'
import { authenticateSender, findSenderInbox } from '../features/receiving/authenticate-sender.ts'
import { isFarFromFull } from '../features/receiving/capacity.ts'
import { CATCH_ALL_INBOX, ensureCatchAllInbox } from '../features/receiving/catch-all-inbox.ts'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import { isFarFromFlood } from '../features/receiving/flood.ts'
import { receiveMail } from '../features/receiving/receive.ts'
import { type Clock, elapsedMs } from '../platform/clock.ts'
import { createGroupCommit } from '../platform/group-commit.ts'
import { createIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { Throttle } from '../platform/throttle.ts'
import type { FailedHandshakes, RefusedCommand, Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import type { Recipient } from '../store/tables/receiving.ts'
import type { ReceivingOptions } from '../threads/receiving-host.ts'
import { runEvery } from './background.ts'
import { bind } from './bind.ts'
import { createKeySearch } from './key-search.ts'
import { type LargeMailComposing, startLargeMailComposing } from './large-mail-composing.ts'
import { configuredPlans } from './plans.ts'
import type { MailHandling } from './receiving.ts'
import { StorageRefusals } from './storage-refusals.ts'
import type { StoreMail } from './storing.ts'

/** What handling mails needs. */
export type HandlingDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly signals: Pick<Signals, 'announce'>
  /** Parses a mail, unless it was composed before, and stores it. */
  readonly storeMail: StoreMail
  /**
   * Resolves when mails of an inbox that were accepted before are stored; null when they are, or
   * need not be because the inbox is far from its limits.
   */
  readonly storedFor?: StoredFor
}

/** Waits for earlier mails of a recipient; null when nobody need wait. */
export type StoredFor = (
  recipient: Pick<Recipient, 'inboxId' | 'accountId' | 'hasSpooledMail'>,
  isFarFromLimits: boolean,
) => Promise<unknown> | null

/** Shortest time between two announcements of refused commands. */
const REFUSAL_ANNOUNCED_MS = 1_000

/** Characters of an address or a user name that are announced. */
const REFUSED_NAME_LENGTH_MAX = 100

/** Shortest time between two announcements of failed TLS handshakes. */
const HANDSHAKE_ANNOUNCED_MS = 100

/** Queries for recipients that run at a time; those that come meanwhile share the next one. */
const RECIPIENT_QUERIES_MAX = 2

/** How often refusals counted by domain are written. */
const FLUSH_MS = 10_000

/** How long a mail that could not be stored counts against this node. */
const FAILURE_MS = 10_000

/** Starts to handle mails on this thread. */
export function startMailHandling(deps: HandlingDeps, options: ReceivingOptions): MailHandling {
  const { log } = deps
  const unplaced = createRefusalAnnouncer(deps)
  const handshakes = createHandshakeAnnouncer(deps)
  const refusals = createRefusalLog(deps, options.config, unplaced)
  const outcome = new StorageOutcome()
  const failures = new StorageRefusals(log)
  const composing = startLargeMailComposing(log, options)
  const flushing = runEvery(FLUSH_MS, { name: 'writing the counts of refusals', log }, () =>
    refusals.flush(),
  )
  return {
    handler: createHandler(deps, options, { refusals, handshakes, outcome, failures, composing }),
    check: async () => {
      await deps.store.ping()
      outcome.check()
    },
    stop: async () => {
      await composing.stop()
      await flushing.stop()
      failures.stop()
      unplaced.stop()
      handshakes.stop()
      await refusals.flush().catch((error: unknown) => {
        log.warn({ err: error }, 'the last counts of refusals could not be written')
      })
    },
  }
}

function createRefusalLog(
  deps: HandlingDeps,
  config: Config,
  unplaced: Throttle<RefusedCommand>,
): RefusalLog {
  const { store, clock, signals } = deps
  const ids = createIds(clock)
  const announce = (inboxIds: readonly InboxId[]) => signals.announce({ inboxIds, mailIds: [] })
  return new RefusalLog({
    store,
    clock,
    newId: () => ids.next('diagnostic'),
    ourDomains: receivingDomains(config),
    replyText: (reply) => REFUSAL_REPLIES[reply],
    onUnplaced: (kind, name, reply) => unplaced.add({ at: clock.now(), kind, name, reply }),
    record: createGroupCommit((batches: Parameters<typeof recordEvents>[1]) =>
      recordEvents({ store, announce }, batches),
    ),
  })
}

function receivingDomains(config: Config): readonly string[] {
  return [...config.MAYFLY_DOMAINS, ...config.MAYFLY_PRIVATE_DOMAINS]
}

/** Announces commands that were refused and that no inbox is concerned by, at most one a second. */
function createRefusalAnnouncer({ signals }: HandlingDeps): Throttle<RefusedCommand> {
  return new Throttle(REFUSAL_ANNOUNCED_MS, ({ name, ...rest }) => {
    const refusedCommand = { ...rest, name: name.slice(0, REFUSED_NAME_LENGTH_MAX) }
    signals.announce({ inboxIds: [], mailIds: [], refusedCommand })
  })
}

/** Announces TLS handshakes that failed; those above a few a second go with a later one. */
function createHandshakeAnnouncer({ clock, signals }: HandlingDeps) {
  let count = 0
  const throttle = new Throttle<Omit<FailedHandshakes, 'count'>>(HANDSHAKE_ANNOUNCED_MS, (last) => {
    signals.announce({ inboxIds: [], mailIds: [], failedHandshakes: { ...last, count } })
    count = 0
  })
  return {
    add: (failed: FailedHandshake) => {
      count += 1
      throttle.add({ ...failed, at: clock.now() })
    },
    stop: () => throttle.stop(),
  }
}

/** What the handler uses. */
type HandlerParts = {
  readonly refusals: RefusalLog
  readonly handshakes: { readonly add: (failed: FailedHandshake) => void }
  readonly outcome: StorageOutcome
  readonly failures: StorageRefusals
  readonly composing: LargeMailComposing
}

function createHandler(
  deps: HandlingDeps,
  options: ReceivingOptions,
  { refusals, handshakes, outcome, failures, composing }: HandlerParts,
): MailHandling['handler'] {
  const ids = createIds(deps.clock)
  const onUnrecorded = (error: unknown) =>
    deps.log.warn({ err: error }, 'a refused mail could not be recorded in the diagnostics')
  const receive = {
    clock: deps.clock,
    ids,
    refusals,
    onUnrecorded,
    store: async (owner: AccountId | null, arrived: ArrivedMail) => {
      const composed = composing.compose(owner, arrived)
      if (composed === null) return deps.storeMail(arrived)
      return deps.storeMail({ mail: await composed, recipients: arrived.accepted.recipients })
    },
  }
  const faults = {
    ...deps,
    newDiagnosticId: () => ids.next('diagnostic'),
    fraction: () => ids.fraction(),
    announce: (inboxIds: readonly InboxId[]) => deps.signals.announce({ inboxIds, mailIds: [] }),
  }
  const inject = (attempt: Attempt) => injectFault(faults, attempt)
  const room = new AccountRoom({
    storedBytesMax: (plan) => STORED_BYTES_MAX[plan],
    sumBytes: (accountId) => deps.store.receiving.sumBytes(accountId),
    elapsedMs,
  })
  const catchAll = createCatchAll(deps, options)
  const admit = {
    ...deps,
    refusals,
    injectFault: inject,
    hasAccountRoom: (accountId: AccountId, plan: Plan) => room.hasRoom(accountId, plan),
    keptUntil: bind(configuredPlans(options.config), keptUntil),
    ourDomains: receivingDomains(options.config),
    operatorAddress: options.operatorAddress,
    findRecipient: createRecipientSearch(deps),
    findSenderInbox: (identity: string) => findSenderInbox(deps, identity),
    catchAll,
  }
  return {
    authenticate: createAuthenticator(deps, options, { refusals, failures, inject, catchAll }),
    admitSender: createSenderAdmission(deps, { failures, inject, catchAll }),
    admit: (address, envelope) =>
      admitRecipient(admit, address, envelope).catch((error: unknown) => ({
        state: 'refused',
        why: failures.reply(error),
      })),
    receive: (mail) => {
      const receiveUnlessRefused = async () => {
        const reply = await contentFault(inject, mail)
        if (reply !== null) return { reply }
        const result = await receiveMail(receive, mail)
        if (result === 'stored' || typeof result === 'object') countStored(room, mail)
        return result
      }
      return outcome.of(receiveUnlessRefused()).catch((error: unknown) => failures.reply(error))
    },
    rejected: ({ envelope, recipients, reply, reason }) => {
      const inboxIds = [...new Set(recipients.map(({ inboxId }) => inboxId))]
      refusals
        .addRejectedMail({ inboxIds, reply, reason: { code: reason }, sender: envelope })
        .catch(onUnrecorded)
    },
    handshakeFailed: handshakes.add,
  }
}

/** Finds recipients; on PostgreSQL those that are ready in one query, for each is a round trip. */
function createRecipientSearch({ store, storedFor = () => null }: HandlingDeps) {
  const { isShared, receiving } = store
  const find = isShared
    ? createGroupCommit((addresses: readonly string[]) => receiving.listRecipients(addresses), {
        commitsMax: RECIPIENT_QUERIES_MAX,
      })
    : (address: string) => receiving.findRecipient(address)
  return async (address: string) => {
    const recipient = await find(address)
    if (recipient === null) return null
    const isFarFromLimits = isFarFromFull(recipient) && isFarFromFlood(recipient.flood)
    const storing = storedFor(recipient, isFarFromLimits)
    if (storing === null) return recipient
    // How full it is shows then.
    await storing
    return find(address)
  }
}

/** Checks the credentials of SMTP AUTH. */
function createAuthenticator(
  deps: HandlingDeps,
  { config }: ReceivingOptions,
  { refusals, failures, inject, catchAll }: SenderParts & { readonly refusals: RefusalLog },
): NonNullable<MailHandler['authenticate']> {
  const check = {
    ...deps,
    refusals,
    authenticate: bind(createKeySearch(deps.store), authenticate),
    refusalText: BAD_CREDENTIALS_REPLY,
    acceptsAny: config.MAYFLY_SMTP_ACCEPT_ANY_AUTH,
    findCatchAll: async () => (await catchAll?.find()) ?? null,
    injectFault: inject,
  }
  return (credentials, client) =>
    authenticateSender(check, credentials, client).catch((error: unknown) => {
      failures.reply(error)
      return { state: 'unavailable' }
    })
}

/** What decides about a sender before the recipient is known. */
type SenderParts = {
  readonly failures: StorageRefusals
  readonly inject: (attempt: Attempt) => Promise<string | null>
  readonly catchAll: CatchAll | null
}

/** Accepts or refuses senders at MAIL, where the inbox is known by then. */
function createSenderAdmission(
  deps: HandlingDeps,
  { failures, inject, catchAll }: SenderParts,
): NonNullable<MailHandler['admitSender']> {
  const findKnownInbox = async (identity: string | null) =>
    identity === null ? ((await catchAll?.find()) ?? null) : findSenderInbox(deps, identity)
  const admit = { clock: deps.clock, injectFault: inject, findKnownInbox }
  return (envelope) => {
    const isKnown = catchAll !== null || (envelope.user?.identity ?? null) !== null
    // At once: most services ask nothing at MAIL.
    if (!isKnown) return { state: 'accepted' }
    return admitSender(admit, envelope).then(
      (reply) =>
        reply === null ? { state: 'accepted' } : { state: 'refused', why: 'fault', reply },
      (error: unknown) => ({ state: 'refused', why: failures.reply(error) }),
    )
  }
}

/** Adds a mail to what the accounts of its recipients store. */
function countStored(
  room: AccountRoom,
  { recipients, raw }: IncomingMail<AdmittedRecipient>,
): void {
  const owners = new Map(recipients.map(({ inboxId, accountId }) => [inboxId, accountId]))
  for (const owner of owners.values()) room.add(owner, raw.length)
}

/** The reply with which the fault rules of an inbox refuse a whole mail, or null. */
async function contentFault(
  inject: (attempt: Attempt) => Promise<string | null>,
  { recipients, envelope: sender }: IncomingMail<AdmittedRecipient>,
): Promise<string | null> {
  const inboxIds = recipients.filter((one) => one.mayHaveFaults).map(({ inboxId }) => inboxId)
  for (const inboxId of new Set(inboxIds)) {
    const reply = await inject({ inboxId, phases: ['data'], sender })
    if (reply !== null) return reply
  }
  return null
}

/** The inbox for mail without credentials, which is created again when it was deleted. */
function createCatchAll(
  { store, clock }: HandlingDeps,
  { catchAllOwner: owner, config }: ReceivingOptions,
): CatchAll | null {
  if (owner === null) return null
  const ids = createIds(clock)
  const domain = config.MAYFLY_DOMAINS[0] ?? ''
  const find = async () => {
    const inbox = await store.receiving.findInbox(CATCH_ALL_INBOX)
    if (inbox !== null) return inbox
    await ensureCatchAllInbox(
      { store, clock, newLocalPart: () => ids.localPart() },
      { owner, domain },
    )
    return store.receiving.findInbox(CATCH_ALL_INBOX)
  }
  return { inboxId: CATCH_ALL_INBOX, find }
}

/** What became of the last mail: the storage may answer, and still have no room. */
class StorageOutcome {
  #failure: { readonly error: StorageUnavailable; readonly at: number } | null = null

  /** Notes whether the storage took a mail. */
  async of<T>(storing: Promise<T>): Promise<T> {
    try {
      const result = await storing
      this.#failure = null
      return result
    } catch (error) {
      if (error instanceof StorageUnavailable) this.#failure = { error, at: elapsedMs() }
      throw error
    }
  }

  /** Throws when the last mail was not stored; not for long, so that others are tried. */
  check(): void {
    if (this.#failure !== null && elapsedMs() - this.#failure.at < FAILURE_MS) {
      throw this.#failure.error
    }
  }
}
