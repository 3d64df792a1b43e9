import type {
  AccountId,
  InboxId,
  KeyId,
  Limits,
  MessageId,
  Plan,
  ServiceDescription,
} from '@mayfly/contract'
import { authenticate, type Caller, requireAdmin } from '../features/accounts/authenticate.ts'
import { createKey, listKeys, revokeKey, rotateKey } from '../features/accounts/keys.ts'
import { readAccount } from '../features/accounts/read.ts'
import { registerAccount } from '../features/accounts/register.ts'
import { createSignInLink, signIn } from '../features/accounts/sign-in.ts'
import { type FetchLink, LinkFetches } from '../features/assertions/link-fetches.ts'
import { runAssertions } from '../features/assertions/run.ts'
import {
  createScenario,
  deleteScenario,
  listScenarios,
  runScenario,
  type ScenarioDeps,
} from '../features/assertions/scenarios.ts'
import { beginConnection } from '../features/connections/begin.ts'
import {
  askToConnect,
  completeConnection,
  deleteConnection,
} from '../features/connections/complete.ts'
import type { Providers } from '../features/connections/providers.ts'
import { diagnose, explainWait, readTranscript } from '../features/diagnostics/diagnose.ts'
import type { FailedHandshakes, RefusedCommand } from '../features/diagnostics/next-steps.ts'
import { listCustomDomains, listDomains } from '../features/domains/read.ts'
import type { DomainRecords } from '../features/domains/records.ts'
import { registerDomain } from '../features/domains/register.ts'
import { deleteDomain } from '../features/domains/remove.ts'
import { verifyDomain } from '../features/domains/verify.ts'
import { openAccountStream } from '../features/events/open-stream.ts'
import { deleteFaults, readFaults, setFaults } from '../features/faults/rules.ts'
import type { Readiness } from '../features/health/readiness.ts'
import { readHtmlCheck } from '../features/html-check/check.ts'
import type { OperatorDomains } from '../features/inboxes/choose-domain.ts'
import { createInbox } from '../features/inboxes/create.ts'
import { deleteInbox, getInbox, listInboxes } from '../features/inboxes/read.ts'
import { spendInbox } from '../features/limits/allowance.ts'
import { requirePlanRoom } from '../features/limits/plan-room.ts'
import { PROJECT_LIMITS } from '../features/limits/plans.ts'
import type { RateLimiter } from '../features/limits/rate-limiter.ts'
import { consumeRegistration, consumeRequest } from '../features/limits/request-rates.ts'
import { takeStreamSlot } from '../features/limits/stream-slots.ts'
import { listUsage, type RequestCounter, usageToday } from '../features/limits/usage.ts'
import { takeWaitSlot, type WaitSlotHolder } from '../features/limits/wait-slots.ts'
import { readAttachment, readRaw } from '../features/messages/bytes.ts'
import {
  deleteMessage,
  deleteMessages,
  markMessage,
  removeMessages,
} from '../features/messages/change.ts'
import { explainCode } from '../features/messages/code.ts'
import { createFrame, readFrame } from '../features/messages/frame.ts'
import type { MessageRef } from '../features/messages/message-ref.ts'
import { missing } from '../features/messages/missing.ts'
import {
  listMessages,
  type MessageDeps,
  readMessageExcerpt,
  writeMessage,
  writeMessages,
} from '../features/messages/read.ts'
import { createPurging } from '../features/retention/purge.ts'
import { searchAccount } from '../features/search/search-account.ts'
import type { AnnouncedMessages } from '../features/waiting/announced-messages.ts'
import { lookUntil, type WaitBounds } from '../features/waiting/look-until.ts'
import { type WaitFilter, waitQuery } from '../features/waiting/match.ts'
import { SingleFlight } from '../features/waiting/single-flight.ts'
import { openStream } from '../features/waiting/stream.ts'
import type { Subscriptions } from '../features/waiting/subscriptions.ts'
import { answerWait, type FindDeps, findWithin, waitForMessage } from '../features/waiting/wait.ts'
import { type HeldBounds, whileHeld } from '../features/waiting/while-held.ts'
import { listDeliveries } from '../features/webhooks/log.ts'
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  type WebhookDeps,
} from '../features/webhooks/register.ts'
import { type ReplayDeps, replayDelivery, testWebhook } from '../features/webhooks/replay.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import { ipv6Groups } from '../platform/ip-address.ts'
import { UnchangedResults } from '../platform/unchanged-results.ts'
import type { Store } from '../store/open.ts'
import { bind } from './bind.ts'
import { bindCompat, type CompatDeps } from './compat.ts'
import type { Content } from './content.ts'
import type { EventParts } from './events.ts'
import { createKeySearch } from './key-search.ts'
import { rememberResponses } from './remembered-responses.ts'
import type { HeldCalls } from './waiting.ts'

/** What the features need. */
export type AppDeps = CompatDeps & {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly domains: OperatorDomains
  readonly dns: DomainRecords
  readonly providers: Providers
  readonly defaultPlan: Plan
  readonly limitsOf: (plan: Plan) => Limits
  readonly requestCounter: RequestCounter
  readonly baseUrl: () => string
  readonly subscriptions: Subscriptions<InboxId>
  readonly announced: AnnouncedMessages
  readonly caughtUp: FindDeps['caughtUp']
  readonly announce: (inboxIds: readonly InboxId[]) => void
  readonly held: HeldCalls
  readonly events: EventParts
  readonly fetchLink: FetchLink
  /** The account of the user of this machine; null without one. */
  readonly localAccount: AccountId | null
  readonly onLooked: MessageDeps['onLooked']
  /** There are messages that are not in the search index yet. */
  readonly onUnindexed: () => void
  readonly dispatching: Pick<WebhookDeps & ReplayDeps, 'sealSecret' | 'attempt' | 'record'> & {
    readonly openSecret: (sealed: string) => string
  }
  readonly elapsedMs: () => number
  readonly mailHost: string
  readonly smtpAddress: () => string
  /** When a client last connected to this node's SMTP port. */
  readonly lastConnectionAt: () => number | null
  readonly failedHandshakes: () => FailedHandshakes | null
  readonly refusedCommand: () => RefusedCommand | null
  readonly rateLimiter: RateLimiter
  readonly registrationsPerHour: number
  readonly waitSlots: WaitSlotHolder
  readonly streamSlots: WaitSlotHolder
  readonly linkSlots: WaitSlotHolder
  /** What GET /v1/service answers. */
  readonly describe: () => ServiceDescription
  readonly content: Content
  readonly readiness: Readiness
}

/** The features, as HTTP and MCP call them. */
export type App = ReturnType<typeof createApp>

type TakeWaitSlot = (caller: Caller) => Promise<AsyncDisposable>

/** Binds every feature to what it needs, and to nothing else. */
export function createApp(deps: AppDeps) {
  const limits = bindLimits(deps)
  const unchanged = new UnchangedResults(deps.store.dataVersion)
  return {
    requireReady: () => deps.readiness.require(),
    describe: deps.describe,
    authenticate: bind(createKeySearch(deps.store, unchanged), authenticate),
    responses: rememberResponses(unchanged),
    limits,
    ...bindAccounts(deps),
    ...bindDomains(deps),
    ...bindInboxes(deps, limits.takeStreamSlot),
    ...bindMessages(deps, limits.takeWaitSlot),
    ...bindWebhooks(deps),
    compat: bindCompat(deps),
  }
}

function bindLimits({ rateLimiter, limitsOf, registrationsPerHour, ...deps }: AppDeps) {
  const rates = { rateLimiter, limitsOf, registrationsPerHour, ipv6Groups }
  const waitSlot = bind({ waitSlots: deps.waitSlots, limitsOf }, takeWaitSlot)
  const streams = { takeWaitSlot: waitSlot, streamSlots: deps.streamSlots, limitsOf }
  return {
    consumeRequest: bind(rates, consumeRequest),
    consumeRegistration: bind(rates, consumeRegistration),
    countRequest: (caller: Caller) => deps.requestCounter.count(caller),
    takeWaitSlot: waitSlot,
    takeStreamSlot: bind(streams, takeStreamSlot),
  }
}

function bindAccounts({ store, clock, ids, providers, baseUrl, ...deps }: AppDeps) {
  const usage = { store, clock, requestCounter: deps.requestCounter }
  const endHeldCalls = (keyId: KeyId) => deps.held.endKey({ keyId })
  const keys = { store, clock, ids, endHeldCalls }
  const signInDeps = { store, clock, ids, baseUrl }
  const connections = { store, clock, ids, providers, baseUrl, requireAdmin }
  return {
    accounts: {
      register: bind({ store, clock, ids, defaultPlan: deps.defaultPlan }, registerAccount),
      read: bind(
        { store, limitsOf: deps.limitsOf, usageToday: bind(usage, usageToday) },
        readAccount,
      ),
      usage: bind(usage, listUsage),
    },
    connections: {
      begin: bind(connections, beginConnection),
      ask: bind(connections, askToConnect),
      complete: bind(connections, completeConnection),
      delete: bind(connections, deleteConnection),
    },
    signIn: {
      createLink: bind(signInDeps, createSignInLink),
      exchange: bind(signInDeps, signIn),
    },
    keys: {
      create: bind(keys, createKey),
      list: bind(keys, listKeys),
      rotate: bind(keys, rotateKey),
      revoke: bind(keys, revokeKey),
    },
  }
}

function bindDomains({ store, clock, ids, domains, dns, mailHost, limitsOf }: AppDeps) {
  const read = { store, domains, limitsOf, mailHost }
  const register = { ...read, clock, ids, requireAdmin, requirePlanRoom }
  return {
    domains: {
      list: bind(read, listDomains),
      listCustom: bind(read, listCustomDomains),
      register: bind(register, registerDomain),
      verify: bind({ store, clock, dns, mailHost }, verifyDomain),
      delete: bind({ store, clock, requireAdmin }, deleteDomain),
    },
  }
}

function bindInboxes(
  { store, clock, ids, domains, limitsOf, announce, subscriptions, ...deps }: AppDeps,
  takeStreamSlot: TakeWaitSlot,
) {
  const { purgeInbox } = createPurging(store, deps.content)
  const inboxes = { store, clock, purgeInbox, announce }
  const { publish } = deps.events
  const plan = { limitsOf, projectLimits: PROJECT_LIMITS, spendInbox, requirePlanRoom }
  const create = { store, clock, ids, domains, ...plan, publish }
  const singleFlight = new SingleFlight()
  return {
    inboxes: {
      create: bind(create, createInbox),
      list: bind(inboxes, listInboxes),
      get: bind(inboxes, getInbox),
      delete: bind(inboxes, deleteInbox),
      diagnose: bind(diagnoseDeps({ store, clock, domains, ...deps }), diagnose),
      stream: bind({ store, subscriptions, singleFlight, takeStreamSlot }, openStream),
    },
    faults: {
      set: bind({ store, clock }, setFaults),
      read: bind({ store, clock }, readFaults),
      delete: bind({ store, clock }, deleteFaults),
    },
    events: { stream: bind({ ...deps.events, takeStreamSlot }, openAccountStream) },
  }
}

function createLook({ subscriptions, caughtUp }: Pick<FindDeps, 'subscriptions' | 'caughtUp'>) {
  return <T>(caller: Caller, bounds: WaitBounds, look: () => Promise<T | null>) => {
    const { inboxId } = bounds
    const ofInbox = () => caughtUp(caller.accountId, inboxId)
    return lookUntil({ subscriptions, key: caller, caughtUp: ofInbox }, bounds, look)
  }
}

function bindMessages(
  { store, clock, ids, subscriptions, announced, baseUrl, ...deps }: AppDeps,
  takeWaitSlot: TakeWaitSlot,
) {
  const diagnosis = diagnoseDeps({ store, clock, ...deps })
  const explain = (caller: Caller, inboxId: InboxId, filter: WaitFilter) =>
    explainWait(diagnosis, caller, { inboxId, query: waitQuery(filter) })
  const { content, onLooked } = deps
  const messages = { store, clock, baseUrl, content, onLooked }
  const htmlCheck = {
    compose: content.composeHtmlCheck,
    missing: (caller: Caller, ref: MessageRef) => missing({ store, clock }, caller, ref),
  }
  const singleFlight = new SingleFlight()
  const { hold, publish } = deps.events
  const change = { store, clock, publish, ...createPurging(store, content) }
  const { sealSecret: seal, openSecret: open } = deps.dispatching
  const { composeFrame, hasRemoteImages } = content
  const frames = { store, clock, seal, open, composeFrame, hasRemoteImages }
  const { caughtUp } = deps
  const { findMatch } = content
  const find = { store, subscriptions, announced, singleFlight, hold, caughtUp, findMatch }
  const runDeps = {
    store,
    takeWaitSlot,
    onLooked,
    elapsedMs: deps.elapsedMs,
    linkFetches: new LinkFetches(deps),
    findWithin: bind(find, findWithin),
    lookUntil: createLook(find),
    whileHeld: <T>(caller: Caller, bounds: HeldBounds, work: (gone: AbortSignal) => Promise<T>) =>
      whileHeld({ subscriptions, key: caller }, bounds, work),
    checkMessage: content.checkMessage,
    explain: async (...wait: Parameters<typeof explain>) => {
      const { nextSteps } = await explain(...wait)
      return ['no message arrived in time', ...nextSteps.slice(0, 1)].join('. ')
    },
  }
  const wait = { ...find, takeWaitSlot, explain }
  const present = async (caller: Caller, inboxId: InboxId, messageId: MessageId) => {
    const request = { inboxId, messageId, remoteImages: 'block', of: 'wait' } as const
    return (await writeMessage(messages, caller, request)).result
  }
  return {
    messages: {
      list: bind(messages, listMessages),
      listJson: bind(messages, writeMessages),
      search: bind(
        { store, clock, find: content.findInAccount, onUnindexed: deps.onUnindexed },
        searchAccount,
      ),
      read: (caller: Caller, request: MessageRef & { remoteImages: 'block' | 'allow' }) =>
        writeMessage(messages, caller, { ...request, of: 'message' }),
      excerpt: bind(messages, readMessageExcerpt),
      createFrame: bind(frames, createFrame),
      frame: bind(frames, readFrame),
      mark: bind(change, markMessage),
      delete: bind(change, deleteMessage),
      deleteSome: bind(change, removeMessages),
      deleteAll: bind(change, deleteMessages),
      raw: bind(messages, readRaw),
      explainCode: bind(messages, explainCode),
      htmlCheck: bind(htmlCheck, readHtmlCheck),
      attachment: bind(messages, readAttachment),
      transcript: bind({ store, clock }, readTranscript),
      wait: bind({ ...wait, present, onLooked }, answerWait),
      waitForId: bind(wait, waitForMessage),
    },
    ...bindScenarios({ store, clock, ids, runAssertions: bind(runDeps, runAssertions) }),
  }
}

function bindScenarios(scenarios: ScenarioDeps) {
  return {
    assertions: { run: scenarios.runAssertions },
    scenarios: {
      create: bind(scenarios, createScenario),
      list: bind(scenarios, listScenarios),
      delete: bind(scenarios, deleteScenario),
      run: bind(scenarios, runScenario),
    },
  }
}

function bindWebhooks({ store, clock, ids, limitsOf, dispatching, localAccount }: AppDeps) {
  const { sealSecret, attempt, record } = dispatching
  const webhooks = { store, clock, ids, limitsOf, localAccount, sealSecret, requirePlanRoom }
  const replay = { store, clock, ids, attempt, record }
  return {
    webhooks: {
      create: bind(webhooks, createWebhook),
      list: bind(webhooks, listWebhooks),
      delete: bind(webhooks, deleteWebhook),
      test: bind(replay, testWebhook),
    },
    deliveries: {
      list: bind({ store }, listDeliveries),
      replay: bind(replay, replayDelivery),
    },
  }
}

function diagnoseDeps({
  store,
  clock,
  domains,
  mailHost,
  smtpAddress,
  lastConnectionAt,
  failedHandshakes,
  refusedCommand,
  localAccount,
  content,
}: Pick<
  AppDeps,
  | 'store'
  | 'clock'
  | 'domains'
  | 'mailHost'
  | 'smtpAddress'
  | 'lastConnectionAt'
  | 'failedHandshakes'
  | 'refusedCommand'
  | 'localAccount'
  | 'content'
>) {
  const operatorDomains = [...domains.public, ...domains.private]
  const { explainMismatches } = content
  return {
    store,
    clock,
    operatorDomains,
    mailHost,
    smtpAddress,
    startedAt: clock.now(),
    lastConnectionAt,
    // Whose mail it would have been is unknown; only the user of this machine may learn who sent.
    failedHandshakes: (reader: AccountId) => (reader === localAccount ? failedHandshakes() : null),
    refusedCommand: (reader: AccountId) => (reader === localAccount ? refusedCommand() : null),
    explainMismatches,
  }
}
