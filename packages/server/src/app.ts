import type { InboxId, Limits, Plan } from '@mayfly/contract'
import { authenticate, type Caller, requireAdmin } from './features/accounts/authenticate.ts'
import { createKey, listKeys, revokeKey, rotateKey } from './features/accounts/keys.ts'
import { readAccount } from './features/accounts/read.ts'
import { registerAccount } from './features/accounts/register.ts'
import type { FetchLink } from './features/assertions/link-check.ts'
import { runAssertions } from './features/assertions/run.ts'
import {
  createScenario,
  deleteScenario,
  listScenarios,
  runScenario,
} from './features/assertions/scenarios.ts'
import { beginConnection } from './features/connections/begin.ts'
import { completeConnection, deleteConnection } from './features/connections/complete.ts'
import type { Providers } from './features/connections/providers.ts'
import { diagnose, explainWait, readTranscript } from './features/diagnostics/diagnose.ts'
import { listCustomDomains, listDomains } from './features/domains/read.ts'
import type { DomainRecords } from './features/domains/records.ts'
import { deleteDomain, registerDomain } from './features/domains/register.ts'
import { verifyDomain } from './features/domains/verify.ts'
import type { OperatorDomains } from './features/inboxes/choose-domain.ts'
import { createInbox } from './features/inboxes/create.ts'
import { deleteInbox, getInbox, listInboxes } from './features/inboxes/read.ts'
import { admitRegistration, admitRequest } from './features/limits/admit.ts'
import { spendInbox } from './features/limits/allowance.ts'
import { requirePlanRoom } from './features/limits/plan-room.ts'
import type { RateLimiter } from './features/limits/rate-limiter.ts'
import { listUsage, type RequestCounter, usageToday } from './features/limits/usage.ts'
import { takeWaitSlot, type WaitSlotHolder } from './features/limits/wait-slots.ts'
import { readAttachment, readRaw } from './features/messages/bytes.ts'
import { explainCode } from './features/messages/code.ts'
import { listMessages, presentMessage, readMessage } from './features/messages/read.ts'
import type { Arrivals } from './features/waiting/arrivals.ts'
import { mismatch, type WaitQuery } from './features/waiting/match.ts'
import { SharedLooks } from './features/waiting/shared-looks.ts'
import { openStream } from './features/waiting/stream.ts'
import { findWithin, waitForMessage } from './features/waiting/wait.ts'
import { listDeliveries } from './features/webhooks/log.ts'
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  type WebhookDeps,
} from './features/webhooks/register.ts'
import { type ReplayDeps, replayDelivery, testWebhook } from './features/webhooks/replay.ts'
import { readHtml } from './mail/html.ts'
import { readableText } from './mail/readable-text.ts'
import type { Clock } from './platform/clock.ts'
import type { Ids } from './platform/ids.ts'
import type { Store } from './store/open.ts'

/** What the features are bound to. */
export type AppDeps = {
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
  readonly arrivals: Arrivals
  readonly announce: (inboxIds: readonly InboxId[]) => void
  readonly fetchLink: FetchLink
  readonly dispatching: Pick<WebhookDeps & ReplayDeps, 'sealSecret' | 'attempt' | 'record'>
  readonly elapsedMs: () => number
  readonly mailHost: string
  readonly smtpAddress: () => string
  /** When a client last connected to this node's SMTP port. */
  readonly lastConnectionAt: () => number | null
  readonly rateLimiter: RateLimiter
  readonly registrationsPerHour: number
  readonly waitSlots: WaitSlotHolder
}

/** Everything that the service can do, bound to its dependencies. */
export function createApp(given: AppDeps) {
  const deps = {
    ...given,
    takeWaitSlot: bind(given, takeWaitSlot),
    looks: new SharedLooks(),
  }
  const { inbox, diagnosis, wait, scenario } = compose(deps)
  return {
    isReady: () => deps.store.ping(),
    authenticate: bind(deps, authenticate),
    ...bindAccounts(deps),
    inboxes: {
      create: bind(inbox, createInbox),
      list: bind(deps, listInboxes),
      get: bind(deps, getInbox),
      delete: bind(inbox, deleteInbox),
      diagnose: bind(diagnosis, diagnose),
      stream: bind(deps, openStream),
    },
    messages: {
      list: bind(deps, listMessages),
      read: bind(deps, readMessage),
      raw: bind(deps, readRaw),
      explainCode: bind(deps, explainCode),
      attachment: bind(deps, readAttachment),
      transcript: bind(deps, readTranscript),
      wait: bind(wait, waitForMessage),
    },
    assertions: {
      run: scenario.runAssertions,
    },
    scenarios: {
      create: bind(scenario, createScenario),
      list: bind(scenario, listScenarios),
      delete: bind(scenario, deleteScenario),
      run: bind(scenario, runScenario),
    },
    ...bindWebhooks(deps),
  }
}

function bindWebhooks(deps: AppDeps) {
  const webhook = { ...deps, ...deps.dispatching }
  return {
    webhooks: {
      create: bind(webhook, createWebhook),
      list: bind(webhook, listWebhooks),
      delete: bind(webhook, deleteWebhook),
      test: bind(webhook, testWebhook),
    },
    deliveries: {
      list: bind(deps, listDeliveries),
      replay: bind(webhook, replayDelivery),
    },
  }
}

/** What the edges know of the features. */
export type App = ReturnType<typeof createApp>

/** What accounts are and have, apart from mail. */
function bindAccounts(deps: ComposedDeps) {
  const account = { ...deps, usageToday: (caller: Caller) => usageToday(deps, caller) }
  const domain = { ...deps, requireAdmin, requirePlanRoom }
  const connection = { ...deps, requireAdmin }
  return {
    limits: {
      admitRequest: bind(deps, admitRequest),
      admitRegistration: bind(deps, admitRegistration),
      countRequest: (caller: Caller) => deps.requestCounter.count(caller),
      /** For whatever waits: `await using slot = await app.limits.takeWaitSlot(caller)`. */
      takeWaitSlot: deps.takeWaitSlot,
    },
    accounts: {
      register: bind(deps, registerAccount),
      read: bind(account, readAccount),
      usage: bind(deps, listUsage),
    },
    connections: {
      begin: bind(connection, beginConnection),
      complete: bind(deps, completeConnection),
      delete: bind(connection, deleteConnection),
    },
    keys: {
      create: bind(deps, createKey),
      list: bind(deps, listKeys),
      rotate: bind(deps, rotateKey),
      revoke: bind(deps, revokeKey),
    },
    domains: {
      list: bind(deps, listDomains),
      register: bind(domain, registerDomain),
      listCustom: bind(deps, listCustomDomains),
      verify: bind(deps, verifyDomain),
      delete: bind(domain, deleteDomain),
    },
  }
}

type ComposedDeps = AppDeps & {
  readonly looks: SharedLooks
  readonly takeWaitSlot: (caller: Caller) => Promise<AsyncDisposable>
}

/** What features need of each other reaches them as arguments, too. */
function compose(deps: ComposedDeps) {
  const inbox = { ...deps, spendInbox }
  const diagnosis = {
    ...deps,
    mismatch,
    operatorDomains: [...deps.domains.public, ...deps.domains.private],
  }
  const wait = {
    ...deps,
    present: (stored: Parameters<typeof presentMessage>[1]) =>
      presentMessage(deps, stored, 'block'),
    explain: (caller: Caller, inboxId: InboxId, query: WaitQuery) =>
      explainWait(diagnosis, caller, { inboxId, query }),
  }
  const assert = {
    ...deps,
    findWithin: bind(deps, findWithin),
    visibleText: (html: string) => readableText(readHtml(html)),
    explain: async (caller: Caller, inboxId: InboxId, query: WaitQuery) => {
      const { nextSteps } = await explainWait(diagnosis, caller, { inboxId, query })
      return ['no message arrived in time', ...nextSteps.slice(0, 1)].join('. ')
    },
  }
  const scenario = { ...deps, runAssertions: bind(assert, runAssertions) }
  return { inbox, diagnosis, wait, scenario }
}

function bind<Deps, Args extends readonly unknown[], Result>(
  deps: Deps,
  feature: (deps: Deps, ...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => feature(deps, ...args)
}
