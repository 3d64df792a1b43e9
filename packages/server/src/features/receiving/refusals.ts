import type { InboxId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import { createGroupCommit, type GroupCommit } from '../../platform/group-commit.ts'
import type { Store } from '../../store/open.ts'
import type { NewDiagnosticEvent } from '../../store/tables/diagnostics.ts'
import { addressesASlipAway } from './slips.ts'

/** Why a recipient is refused, as far as the sender is told. */
export type RefusedWhy = 'unknown' | 'full' | 'unavailable' | 'storage_full'

/** Who sent what was refused. */
export type Sender = { readonly mailFrom: string; readonly remoteAddress: string }

/** A refusal for the diagnostics of one or more inboxes. */
export type Refusal = {
  readonly inboxIds: readonly InboxId[]
  readonly why: RefusedWhy
  readonly reason: string
  readonly sender: Sender
}

/** What the log of refusals needs. */
export type RefusalDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly newId: () => string
  readonly ourDomains: readonly string[]
  /** The reply that the client was given. */
  readonly replyFor: (why: RefusedWhy) => string
  /** Tells whoever watches these inboxes to look again. */
  readonly announce: (inboxIds: readonly InboxId[]) => void
}

const HOUR_MS = 60 * 60 * 1000

/**
 * Near misses looked for in a second. Each is a query for some hundreds of addresses; a flood
 * of guesses must not become a flood of those.
 */
const NEAR_MISSES_PER_SECOND_MAX = 20

/** Writes refusals into the diagnostics of whom they concern, before the client is told. */
export class RefusalLog {
  readonly #deps: RefusalDeps
  readonly #write: GroupCommit<readonly NewDiagnosticEvent[], true>
  #refusalsByDomain = new Map<string, number>()
  #second = 0
  #lookedForInSecond = 0

  constructor(deps: RefusalDeps) {
    this.#deps = deps
    this.#write = createGroupCommit(async (batches) => {
      const events = batches.flat()
      await deps.store.transaction((tx) => tx.diagnostics.add(events))
      deps.announce([...new Set(events.map((event) => event.inboxId))])
      return batches.map(() => true)
    })
  }

  /** A refusal whose inbox is known. */
  async note(refusal: Refusal): Promise<void> {
    const { reason, sender } = refusal
    const reply = this.#deps.replyFor(refusal.why)
    const detail = `${reply} (${reason}; from <${sender.mailFrom}> at ${sender.remoteAddress})`
    await this.#record(refusal.inboxIds, 'smtp.refused', detail)
  }

  /** A mail whose recipients had been accepted was then turned away. */
  async noteTurnedAway(inboxIds: readonly InboxId[], detail: string): Promise<void> {
    await this.#record(inboxIds, 'smtp.refused', detail)
  }

  /** A recipient that nobody has: counted for its domain, and told to whom it nearly names. */
  async noteUnknown(address: string, sender: Sender): Promise<void> {
    const domain = address.slice(address.lastIndexOf('@') + 1)
    const { ourDomains, store, clock } = this.#deps
    if (ourDomains.includes(domain)) {
      this.#refusalsByDomain.set(domain, (this.#refusalsByDomain.get(domain) ?? 0) + 1)
    }
    if (!this.#mayLookForNearMiss()) return
    const near = await store.arrivals.findNamed(
      addressesASlipAway(address, ourDomains),
      clock.now(),
    )
    const from = `from <${sender.mailFrom}> at ${sender.remoteAddress}`
    const reply = this.#deps.replyFor('unknown')
    for (const { inboxId, address: meant } of near) {
      const detail = `mail for ${address} was refused: ${reply} (${from}); this inbox is ${meant}`
      await this.#record([inboxId], 'near.miss', detail)
    }
  }

  /** An inbox was stopped. */
  async noteSuspended(inboxId: InboxId, reason: string): Promise<void> {
    await this.#record([inboxId], 'inbox.suspended', reason)
  }

  /** Writes the counts of refusals by domain; called now and then, and at the end. */
  async flush(): Promise<void> {
    if (this.#refusalsByDomain.size === 0) return
    const counts = this.#refusalsByDomain
    this.#refusalsByDomain = new Map()
    const hourAt = Math.floor(this.#deps.clock.now() / HOUR_MS) * HOUR_MS
    await this.#deps.store.transaction((tx) => tx.diagnostics.countRefusals(counts, hourAt))
  }

  async #record(
    inboxIds: readonly InboxId[],
    stage: NewDiagnosticEvent['stage'],
    detail: string,
  ): Promise<void> {
    const at = this.#deps.clock.now()
    const { newId } = this.#deps
    await this.#write(inboxIds.map((inboxId) => ({ id: newId(), inboxId, stage, at, detail })))
  }

  #mayLookForNearMiss(): boolean {
    const second = Math.floor(this.#deps.clock.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#lookedForInSecond = 0
    }
    this.#lookedForInSecond += 1
    return this.#lookedForInSecond <= NEAR_MISSES_PER_SECOND_MAX
  }
}
