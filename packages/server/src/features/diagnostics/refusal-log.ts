import type { AccountId, DiagnosticId, InboxId } from '@mayfly/contract'
import type { Batched } from '../../platform/batching.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'
import type { NewDiagnosticEvent } from '../../store/tables/diagnostics.ts'
import { type RefusalReason, reasonText } from './refusal-reasons.ts'
import { similarAddresses } from './similar-addresses.ts'

/** Which reply the client gets for a refused recipient; several reasons share one reply. */
export type RefusalReply = 'unknown' | 'full' | 'unavailable' | 'storage_full'

/** The sender that was refused. */
type Sender = { readonly mailFrom: string; readonly remoteAddress: string }

/** A refusal that is recorded for the inboxes it concerns. */
export type Refusal = {
  readonly inboxIds: readonly InboxId[]
  readonly reason: RefusalReason
  readonly sender: Sender
}

export type RefusalLogDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly newId: () => DiagnosticId
  readonly ourDomains: readonly string[]
  /** The text of a reply. */
  readonly replyText: (reply: RefusalReply) => string
  /** A command that concerns no inbox was refused. Returns at once. */
  readonly onUnplaced: (kind: 'recipient' | 'login', name: string, reply: string) => void
  /** Resolves once the events are stored; see `recordEvents`. */
  readonly record: Batched<readonly NewDiagnosticEvent[], true>
}

const HOUR_MS = 60 * 60 * 1000

/**
 * Searches for similar addresses in a second. Each is a query for some hundreds of addresses, so
 * without a bound a client that guesses addresses could overload the store.
 */
const SEARCHES_PER_SECOND_MAX = 20

/** Stores batches of events in one transaction, then announces their inboxes. */
export async function recordEvents(
  deps: {
    readonly store: Store
    readonly announce: (inboxIds: readonly InboxId[]) => void
  },
  batches: readonly (readonly NewDiagnosticEvent[])[],
): Promise<readonly true[]> {
  const events = batches.flat()
  await deps.store.transaction((tx) => tx.diagnostics.add(events))
  deps.announce([...new Set(events.map((event) => event.inboxId))])
  return batches.map(() => true)
}

/** Records refusals in the diagnostics of the inboxes concerned, before the client is answered. */
export class RefusalLog {
  readonly #deps: RefusalLogDeps
  #refusalsByDomain = new Map<string, number>()
  #second = 0
  #searchesInSecond = 0

  constructor(deps: RefusalLogDeps) {
    this.#deps = deps
  }

  /** Records a refusal at RCPT, or at the end of DATA when the inbox is full. */
  async addRefusal(refusal: Refusal & { readonly reply: RefusalReply }): Promise<void> {
    await this.#recordRefusal({ ...refusal, reply: this.#deps.replyText(refusal.reply) })
  }

  /** Records a mail that was rejected after its recipients had been accepted. */
  async addRejectedMail(refusal: Refusal & { readonly reply: string }): Promise<void> {
    await this.#recordRefusal(refusal)
  }

  /** Records credentials that name no inbox. */
  addUnknownLogin(username: string, reply: string): void {
    this.#deps.onUnplaced('login', username, reply)
  }

  /** Counts a recipient without an inbox for its domain, and records near misses. */
  async addUnknown(address: string): Promise<void> {
    const domain = address.slice(address.lastIndexOf('@') + 1)
    const { ourDomains, store, clock } = this.#deps
    this.#deps.onUnplaced('recipient', address, this.#deps.replyText('unknown'))
    if (ourDomains.includes(domain)) this.#count(domain, 1)
    if (!this.#maySearch()) return
    const readers = await this.#nearMissReaders(address, domain)
    if (readers === 'none') return
    const similar = similarAddresses(address, ourDomains)
    const reply = this.#deps.replyText('unknown')
    for (const inbox of await store.receiving.listByAddress(similar, clock.now())) {
      if (readers !== 'all' && readers !== inbox.accountId) continue
      // Without the sender: the mail was not for this inbox.
      const detail = `mail for ${address} was refused: ${reply}; this inbox is ${inbox.address}`
      const event = { ...this.#newEvent(inbox.inboxId), detail, recipient: address }
      await this.#deps.record([{ ...event, stage: 'near.miss' }])
    }
  }

  /**
   * Which accounts may learn that mail for an address was refused: any account for a free address
   * on the operator's domains, otherwise the account that has the address or the domain.
   */
  async #nearMissReaders(address: string, domain: string): Promise<AccountId | 'all' | 'none'> {
    const { store, ourDomains, clock } = this.#deps
    const holder = await store.addresses.findHolder(address, clock.now())
    if (ourDomains.includes(domain)) return holder ?? 'all'
    const claim = await store.domains.findClaim(domain)
    if (claim === null || claim.state === 'pending') return 'none'
    return holder === null || holder === claim.accountId ? claim.accountId : 'none'
  }

  /** Writes the refusals counted by domain; when that fails, they are kept for the next call. */
  async flush(): Promise<void> {
    if (this.#refusalsByDomain.size === 0) return
    const counts = this.#refusalsByDomain
    this.#refusalsByDomain = new Map()
    const hourAt = Math.floor(this.#deps.clock.now() / HOUR_MS) * HOUR_MS
    try {
      await this.#deps.store.transaction((tx) => tx.diagnostics.countRefusals(counts, hourAt))
    } catch (error) {
      for (const [domain, count] of counts) this.#count(domain, count)
      throw error
    }
  }

  #count(domain: string, refusals: number): void {
    this.#refusalsByDomain.set(domain, (this.#refusalsByDomain.get(domain) ?? 0) + refusals)
  }

  async #recordRefusal(refusal: Refusal & { readonly reply: string }): Promise<void> {
    const { reply, reason, sender } = refusal
    const detail = `${reply} (${reasonText(reason)}; ${senderText(sender)})`
    await this.#deps.record(
      refusal.inboxIds.map((inboxId) => ({
        ...this.#newEvent(inboxId),
        stage: 'smtp.refused',
        reason: reason.code,
        detail,
      })),
    )
  }

  #newEvent(inboxId: InboxId) {
    return { id: this.#deps.newId(), inboxId, at: this.#deps.clock.now() }
  }

  #maySearch(): boolean {
    const second = Math.floor(this.#deps.clock.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#searchesInSecond = 0
    }
    this.#searchesInSecond += 1
    return this.#searchesInSecond <= SEARCHES_PER_SECOND_MAX
  }
}

function senderText({ mailFrom, remoteAddress }: Sender): string {
  return `from <${mailFrom}> at ${remoteAddress}`
}
