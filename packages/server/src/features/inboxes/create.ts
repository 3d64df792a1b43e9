import { INBOX_TTL_SECONDS, type Inbox, type Limits, type Plan } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store, Tables } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { bestDomain, domainChoices, type OperatorDomains } from './choose-domain.ts'
import { isReserved } from './reserved.ts'

/** What creating an inbox needs. */
export type CreateInboxDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly domains: OperatorDomains
  readonly limitsOf: (plan: Plan) => Limits
  /** Takes one inbox off the allowance, or throws. */
  readonly spendInbox: (
    tx: Tables,
    caller: Caller,
    when: { readonly limits: Limits; readonly now: number },
  ) => Promise<void>
}

/** What a caller may say of an inbox. */
export type InboxOptions = {
  readonly domain?: string | undefined
  readonly localPart?: string | undefined
  readonly ttlSeconds?: number | undefined
  readonly idempotencyKey: string | null
}

/** An inbox, and whether it is the answer to an earlier call. */
export type CreatedInbox = { readonly inbox: Inbox; readonly replayed: boolean }

/** Tries at a random local part; one collision in 2^50 makes a second one rare already. */
const LOCAL_PART_TRIES = 5

/** How far back refusals count against a domain. */
const RECENT_MS = 24 * 60 * 60 * 1000

/**
 * Creates an inbox.
 *
 * Key, allowance, address and inbox are one transaction: a refusal undoes them all, so it
 * uses up neither the Idempotency-Key nor the allowance.
 */
export async function createInbox(
  deps: CreateInboxDeps,
  caller: Caller,
  options: InboxOptions,
): Promise<CreatedInbox> {
  const now = deps.clock.now()
  const limits = deps.limitsOf(caller.plan)
  return deps.store.transaction(async (tx) => {
    if (options.idempotencyKey !== null) {
      const answer = await tx.idempotencyKeys.takeOrRecall(
        caller.accountId,
        options.idempotencyKey,
        now,
      )
      // We wrote it ourselves, below.
      if (answer !== null) return { inbox: JSON.parse(answer) as Inbox, replayed: true }
    }
    if (options.localPart !== undefined && isReserved(options.localPart)) {
      throw new ServiceError('address_reserved')
    }
    // Held to the end: a domain that is given up meanwhile must not get one more inbox.
    if (options.domain !== undefined) await tx.accounts.lock(caller.accountId)
    const activeCustom = await tx.domains.listActive(caller.accountId)
    const choices = domainChoices(options.domain, deps.domains, { limits, activeCustom })
    await deps.spendInbox(tx, caller, { limits, now })

    const domain = await pickDomain(tx, choices, now)
    const inbox = await addInbox(deps, { tx, caller, options, domain, now })
    if (options.idempotencyKey !== null) {
      await tx.idempotencyKeys.keep(caller.accountId, options.idempotencyKey, JSON.stringify(inbox))
    }
    return { inbox, replayed: false }
  })
}

async function pickDomain(tx: Tables, choices: readonly string[], now: number): Promise<string> {
  const [only] = choices
  if (choices.length === 1 && only !== undefined) return only
  const inboxes = await tx.inboxes.countByDomain(choices, now)
  const refusals = await tx.domains.countRefusals(choices, now - RECENT_MS)
  return bestDomain(
    choices.map((domain) => ({
      domain,
      recentRefusals: refusals.get(domain) ?? 0,
      inboxes: inboxes.get(domain) ?? 0,
    })),
  )
}

async function addInbox(
  deps: CreateInboxDeps,
  order: {
    readonly tx: Tables
    readonly caller: Caller
    readonly options: InboxOptions
    readonly domain: string
    readonly now: number
  },
): Promise<Inbox> {
  const { tx, caller, options, domain, now } = order
  const id = deps.ids.next('inbox')
  const expiresAt = now + (options.ttlSeconds ?? INBOX_TTL_SECONDS.default) * 1000
  const tries = options.localPart === undefined ? LOCAL_PART_TRIES : 1
  for (let attempt = 0; attempt < tries; attempt++) {
    const address = `${options.localPart ?? deps.ids.localPart()}@${domain}`
    const claim = { address, inboxId: id, occupiedUntil: expiresAt, now }
    if (await tx.addresses.claim(caller.accountId, claim)) {
      const { environment } = caller
      const inbox = { id, address, domain, environment, createdAt: now, expiresAt }
      return tx.inboxes.add(caller.accountId, inbox)
    }
  }
  throw new ServiceError('address_taken')
}
