import type { AccountId, InboxId } from '@mayfly/contract'
import { z } from 'zod'
import { elapsedMs } from '../platform/clock.ts'
import type { WantedMails } from '../signals/thread-signals.ts'

type Topic = InboxId | AccountId

/** What it needs. */
export type WatchedElsewhereDeps = {
  /** Somebody waits for mails of an inbox or account, or nobody any more. */
  readonly watch: (id: Topic, isWatched: boolean) => void
  /** What waits and streams of this node are about. */
  readonly topics: () => readonly Topic[]
  /** Sends to the other nodes. */
  readonly send: (message: object) => void
}

/** How long mails that another node waits for are stored at once. It asks again, if it must. */
const WATCHED_MS = 3_000

/** How long another node stores mails later after it has last said so. */
const LATER_MS = 2_000

/** Ids in one message: a notification of PostgreSQL holds 8,000 bytes. */
const IDS_PER_MESSAGE = 100

const messageSchema = z.union([
  z.object({ storesLater: z.literal(true) }),
  z.object({
    wantedIds: z.array(z.string().transform((id) => id as Topic)).max(IDS_PER_MESSAGE), // Only counted.
  }),
])

/**
 * Tells nodes that store mails later which of them somebody waits for on another node, so that they
 * store these at once. A lost message delays a mail, by two seconds at most.
 */
export class WatchedElsewhere {
  readonly #deps: WatchedElsewhereDeps
  #askedUntilMs = 0

  constructor(deps: WatchedElsewhereDeps) {
    this.#deps = deps
  }

  /** A thread of this node stores mails later. */
  storesLater(): void {
    this.#deps.send({ storesLater: true })
  }

  /** Somebody on this node waits for what any node has accepted of an inbox or account. */
  want({ accountId, inboxId }: WantedMails): void {
    const id = inboxId ?? accountId
    this.#watch([id])
    this.#deps.send({ wantedIds: [id] })
  }

  /** A wait or stream of this node has begun, or was the last of its inbox. */
  onWatched(id: Topic, isWatched: boolean): void {
    if (isWatched && elapsedMs() < this.#askedUntilMs) this.#deps.send({ wantedIds: [id] })
  }

  /** Takes a message of another node; anything else is ignored. */
  receive(given: unknown): void {
    const { data: message } = messageSchema.safeParse(given)
    if (message === undefined) return
    if ('wantedIds' in message) {
      this.#watch(message.wantedIds)
      return
    }
    this.#askedUntilMs = elapsedMs() + LATER_MS
    const topics = this.#deps.topics()
    for (let start = 0; start < topics.length; start += IDS_PER_MESSAGE) {
      this.#deps.send({ wantedIds: topics.slice(start, start + IDS_PER_MESSAGE) })
    }
  }

  #watch(ids: readonly Topic[]): void {
    for (const id of ids) this.#deps.watch(id, true)
    const end = () => {
      for (const id of ids) this.#deps.watch(id, false)
    }
    setTimeout(end, WATCHED_MS).unref()
  }
}
