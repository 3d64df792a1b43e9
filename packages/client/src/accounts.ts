import type { CallOptions } from './connection.ts'
import type { Key } from './keys.ts'
import { callOptions, checkOptions, type OptionKinds } from './options.ts'
import type { Requester } from './request.ts'

/** The plan of an account. */
type Plan = 'key_only' | 'connected' | 'unlimited'

/** An account as its owner sees it. */
export type Account = {
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly plan: Plan
  /** Whether an external account is connected. */
  readonly connected: boolean
  readonly createdAt: string
}

/** The limits of an account's plan; null where there is no limit. */
export type Limits = {
  readonly inboxesPerMonth: number | null
  readonly inboxesPerDay: number | null
  readonly requestsPerMinute: number | null
  readonly concurrentWaits: number | null
  readonly webhooks: number | null
  readonly customDomains: number | null
  readonly privateDomains: boolean
  readonly retentionDays: number | null
}

/** Usage of an account today and this month, in UTC. */
type UsageToday = {
  readonly date: string
  readonly requests: number
  readonly inboxes: number
  readonly inboxesThisMonth: number
  readonly monthResetsAt: string
}

/** An account with its limits and today's usage. */
export type AccountOverview = {
  readonly account: Account
  readonly limits: Limits
  readonly usage: UsageToday
}

/** Usage on one UTC day. */
export type UsageDay = {
  readonly date: string
  readonly requests: number
  readonly inboxes: number
  /** The same numbers by the environment of the key. */
  readonly byEnvironment: {
    readonly live: { readonly requests: number; readonly inboxes: number }
    readonly test: { readonly requests: number; readonly inboxes: number }
  }
}

/** The account to register. */
export type RegisterOptions = CallOptions & { readonly email: string; readonly name?: string }

/** A new account with its first key; `apiKey` is returned only here. */
export type Registration = {
  readonly account: Account
  readonly apiKey: string
  readonly key: Key
}

/** Calls about the account of the key. */
export type AccountCalls = {
  /** The account, its limits and today's usage. */
  read(options?: CallOptions): Promise<AccountOverview>
  /** Usage by day, oldest first, today last. */
  usage(options?: UsageOptions): Promise<readonly UsageDay[]>
}

type UsageOptions = CallOptions & { readonly days?: number }

const USAGE = { days: 'number', signal: 'signal' } as const satisfies OptionKinds<UsageOptions>

/** The options of `registerAccount` about the account. */
export const REGISTER = {
  ...{ email: 'text', name: 'text', signal: 'signal' },
} as const satisfies OptionKinds<RegisterOptions>

/** Binds the calls about the account. */
export function accountCalls(requester: Requester): AccountCalls {
  return {
    read: async (options) =>
      requester.json({ method: 'GET', path: '/v1/account', ...callOptions(options) }),
    usage: async (options = {}) => {
      checkOptions(options, USAGE)
      const { days, signal } = options
      return requester.field('usage', { method: 'GET', path: '/v1/usage', query: { days }, signal })
    },
  }
}
