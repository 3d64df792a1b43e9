import type { Limits, Plan } from '@mayfly/contract'
import { DAY_MS } from '../../mail-id.ts'

/** The limits of each plan; `unlimited` is for self-hosted services. */
export const PLANS: Readonly<Record<Plan, Limits>> = {
  key_only: {
    inboxesPerMonth: 100,
    inboxesPerDay: 20,
    requestsPerMinute: 30,
    concurrentWaits: 2,
    webhooks: 1,
    customDomains: 0,
    privateDomains: false,
    retentionDays: 7,
  },
  connected: {
    inboxesPerMonth: 20_000,
    inboxesPerDay: null,
    requestsPerMinute: 300,
    concurrentWaits: 50,
    webhooks: 25,
    customDomains: 10,
    privateDomains: true,
    retentionDays: 180,
  },
  unlimited: {
    inboxesPerMonth: null,
    inboxesPerDay: null,
    requestsPerMinute: null,
    concurrentWaits: null,
    webhooks: null,
    customDomains: null,
    privateDomains: true,
    retentionDays: 180,
  },
}

/** How many catch-all inboxes an account may have, and how many messages each may keep. */
export type CatchAllLimits = { readonly inboxes: number | null; readonly keepMessages: number }

/** They never expire, so that their number is limited. */
export const CATCH_ALL_LIMITS: Readonly<Record<Plan, CatchAllLimits>> = {
  key_only: { inboxes: 1, keepMessages: 500 },
  connected: { inboxes: 25, keepMessages: 1_000 },
  unlimited: { inboxes: null, keepMessages: 1_000 },
}

const GiB = 1024 ** 3

/** Bytes of mail that an account stores; an inbox has a limit of its own. */
export const STORED_BYTES_MAX: Readonly<Record<Plan, number | null>> = {
  key_only: GiB,
  connected: 25 * GiB,
  unlimited: null,
}

/** Until when an inbox is kept with its content. */
export function keptUntil(
  limitsOf: (plan: Plan) => Limits,
  inbox: { readonly expiresAt: number; readonly plan: Plan },
): number {
  const { retentionDays } = limitsOf(inbox.plan)
  return retentionDays === null
    ? Number.POSITIVE_INFINITY
    : inbox.expiresAt + retentionDays * DAY_MS
}

/** The limits of each plan, with the operator's overrides. */
export function plansWith(
  overrides: Readonly<Record<Plan, Partial<Limits>>>,
): (plan: Plan) => Limits {
  const plans = {
    key_only: { ...PLANS.key_only, ...overrides.key_only },
    connected: { ...PLANS.connected, ...overrides.connected },
    unlimited: { ...PLANS.unlimited, ...overrides.unlimited },
  }
  return (plan) => plans[plan]
}
