import type { Limits, Plan } from '@mayfly/contract'
import { authenticate, type Caller } from './features/accounts/authenticate.ts'
import { createKey, listKeys, revokeKey, rotateKey } from './features/accounts/keys.ts'
import { readAccount } from './features/accounts/read.ts'
import { registerAccount } from './features/accounts/register.ts'
import type { OperatorDomains } from './features/inboxes/choose-domain.ts'
import { createInbox } from './features/inboxes/create.ts'
import { deleteInbox, getInbox, listInboxes } from './features/inboxes/read.ts'
import { spendInbox } from './features/limits/allowance.ts'
import { listUsage, type RequestCounter, usageToday } from './features/limits/usage.ts'
import { readAttachment, readRaw } from './features/messages/bytes.ts'
import { listMessages, readMessage } from './features/messages/read.ts'
import type { Clock } from './platform/clock.ts'
import type { Ids } from './platform/ids.ts'
import type { Store } from './store/open.ts'

/** What the features are bound to. */
export type AppDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly domains: OperatorDomains
  readonly defaultPlan: Plan
  readonly limitsOf: (plan: Plan) => Limits
  readonly requestCounter: RequestCounter
  readonly baseUrl: () => string
}

/** Everything that the service can do, bound to its dependencies. */
export function createApp(deps: AppDeps) {
  const account = { ...deps, usageToday: (caller: Caller) => usageToday(deps, caller) }
  const inbox = { ...deps, spendInbox }
  return {
    isReady: () => deps.store.ping(),
    authenticate: bind(deps, authenticate),
    countRequest: (caller: Caller) => deps.requestCounter.count(caller),
    accounts: {
      register: bind(deps, registerAccount),
      read: bind(account, readAccount),
      usage: bind(deps, listUsage),
    },
    keys: {
      create: bind(deps, createKey),
      list: bind(deps, listKeys),
      rotate: bind(deps, rotateKey),
      revoke: bind(deps, revokeKey),
    },
    inboxes: {
      create: bind(inbox, createInbox),
      list: bind(deps, listInboxes),
      get: bind(deps, getInbox),
      delete: bind(deps, deleteInbox),
    },
    messages: {
      list: bind(deps, listMessages),
      read: bind(deps, readMessage),
      raw: bind(deps, readRaw),
      attachment: bind(deps, readAttachment),
    },
  }
}

/** What the edges know of the features. */
export type App = ReturnType<typeof createApp>

function bind<Deps, Args extends readonly unknown[], Result>(
  deps: Deps,
  feature: (deps: Deps, ...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => feature(deps, ...args)
}
