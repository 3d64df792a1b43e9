import {
  type AccountId,
  INBOX_TTL_SECONDS,
  type Inbox,
  type InboxId,
  KEEP_MESSAGES,
  type Limits,
  type Plan,
} from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import { NEVER } from '../../expiry.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { spendInbox } from '../rules/allowance.ts'
import { requirePlanQuota } from '../rules/plan-quota.ts'
import { CATCH_ALL_LIMITS, type CatchAllLimits } from '../rules/plans.ts'
import {
  bestDomain,
  type DomainLoad,
  domainChoices,
  type OperatorDomains,
} from './choose-domain.ts'
import { isReserved } from './reserved.ts'

export type CreateInboxDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly domains: OperatorDomains
  readonly limitsOf: (plan: Plan) => Limits
  /** Sends the signal to the streams of the account. */
  readonly publish: (created: {
    readonly about: 'inbox'
    readonly accountId: AccountId
    readonly inboxId: InboxId
  }) => void
}

/** The request for an inbox. */
export type CreateInboxRequest = {
  readonly domain?: string | undefined
  readonly localPart?: string | undefined
  readonly ttlSeconds?: number | undefined
  readonly catchAll?: boolean | undefined
  readonly keepMessages?: number | undefined
  readonly idempotencyKey: string | null
}

/** An inbox, and whether it was created by an earlier call with the same key. */
export type CreatedInbox = { readonly inbox: Inbox; readonly replayed: boolean }

/** Tries to find a free random local part; with 2^50 of them even a second try is rare. */
const LOCAL_PART_TRIES = 5

/** Domains with more inboxes count as equally full: counting further would delay the creation. */
const INBOXES_COUNTED_MAX = 10_000

/** Age up to which refusals count against a domain. */
const RECENT_MS = 24 * 60 * 60 * 1000

/**
 * Creates an inbox.
 *
 * Idempotency-Key, allowance, address and inbox are written in one transaction: a refusal rolls
 * all of them back.
 */
export async function createInbox(
  deps: CreateInboxDeps,
  caller: Caller,
  request: CreateInboxRequest,
): Promise<CreatedInbox> {
  const now = deps.clock.now()
  const limits = deps.limitsOf(caller.plan)
  const catchAllLimits = CATCH_ALL_LIMITS[caller.plan]
  const keepMessages = messagesKept(request, catchAllLimits)
  const created = await deps.store.transaction(async (tx) => {
    if (request.idempotencyKey !== null) {
      const answer = await tx.idempotencyKeys.takeOrRecall(
        caller.accountId,
        request.idempotencyKey,
        now,
      )
      // Written below.
      if (answer !== null) return { inbox: JSON.parse(answer) as Inbox, replayed: true }
    }
    if (request.localPart !== undefined && isReserved(request.localPart)) {
      throw new ServiceError('address_reserved')
    }
    // Until the commit: a domain that is deleted meanwhile must not get another inbox.
    if (request.domain !== undefined) await tx.accounts.lock(caller.accountId)
    const activeCustom = await tx.domains.listActive(caller.accountId)
    const choices = domainChoices(request.domain, deps.domains, { limits, activeCustom })
    await spendInbox(tx, caller, { limits, now })
    if (keepMessages !== null) {
      const used = (await tx.inboxes.listProjects(caller.accountId, now)).length
      const count = { limit: catchAllLimits.inboxes, used }
      requirePlanQuota('catch-all inbox', count, 'catch-all inboxes')
    }

    const domain = await pickDomain(tx, choices, now)
    const inbox = await addInbox(deps, { tx, caller, request, keepMessages, domain, now })
    if (request.idempotencyKey !== null) {
      await tx.idempotencyKeys.keep(caller.accountId, request.idempotencyKey, JSON.stringify(inbox))
    }
    return { inbox, replayed: false }
  })
  const { accountId } = caller
  deps.publish({ about: 'inbox', accountId, inboxId: created.inbox.id })
  return created
}

/** How many messages the new inbox keeps; null when it is no catch-all inbox. */
function messagesKept(request: CreateInboxRequest, limits: CatchAllLimits): number | null {
  const { catchAll = false, localPart, keepMessages } = request
  if (!catchAll) {
    if (keepMessages === undefined) return null
    throw new ServiceError('invalid_parameter', { message: 'keepMessages: needs catchAll: true' })
  }
  if (localPart !== undefined) {
    throw new ServiceError('invalid_parameter', {
      message: 'localPart: must be left out with catchAll: true',
    })
  }
  if (keepMessages !== undefined && keepMessages > limits.keepMessages) {
    throw new ServiceError('plan_limit', {
      message: `A catch-all inbox of this account's plan keeps at most ${limits.keepMessages} messages.`,
    })
  }
  return keepMessages ?? Math.min(KEEP_MESSAGES.default, limits.keepMessages)
}

async function pickDomain(tx: Tables, choices: readonly string[], now: number): Promise<string> {
  const [only] = choices
  if (choices.length === 1 && only !== undefined) return only
  const refusals = await tx.domains.countRefusals(choices, now - RECENT_MS)
  const loads: DomainLoad[] = []
  for (const domain of choices) {
    const inboxes = await tx.inboxes.countOnDomain(domain, now, INBOXES_COUNTED_MAX)
    loads.push({ domain, recentRefusals: refusals.get(domain) ?? 0, inboxes })
  }
  return bestDomain(loads)
}

async function addInbox(
  deps: CreateInboxDeps,
  work: {
    readonly tx: Tables
    readonly caller: Caller
    readonly request: CreateInboxRequest
    readonly keepMessages: number | null
    readonly domain: string
    readonly now: number
  },
): Promise<Inbox> {
  const { tx, caller, request, keepMessages, domain, now } = work
  const id = deps.ids.next('inbox')
  const ttlMs = (request.ttlSeconds ?? INBOX_TTL_SECONDS.default) * 1000
  const expiresAt = keepMessages === null ? now + ttlMs : NEVER
  const tries = request.localPart === undefined ? LOCAL_PART_TRIES : 1
  for (let attempt = 0; attempt < tries; attempt++) {
    const address = `${request.localPart ?? deps.ids.localPart()}@${domain}`
    const claim = { address, inboxId: id, occupiedUntil: expiresAt, now }
    if (await tx.addresses.claim(caller.accountId, claim)) {
      const { environment } = caller
      const inbox = { id, address, domain, environment, createdAt: now, expiresAt, keepMessages }
      return tx.inboxes.add(caller.accountId, inbox)
    }
  }
  throw new ServiceError('address_taken')
}
