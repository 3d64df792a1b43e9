import type { AccountId, MessageId } from '@mayfly/contract'
import type { QueriedContent } from '@mayfly/mail'
import type { Tables } from '../../store/all-tables.ts'
import type { Candidate } from '../../store/tables/candidates.ts'

/** Messages whose content is read by one query, and bytes of their mails. */
const MESSAGES_MAX = 25
const BYTES_MAX = 1024 * 1024

/** Reads the contents of candidates in their order, several at a time to save round trips. */
export class ContentBatches {
  readonly #messages: Tables['messages']
  readonly #owner: AccountId
  readonly #candidates: readonly Candidate[]
  #read: ReadonlyMap<MessageId, QueriedContent> = new Map()
  #readTo = 0

  constructor(
    { messages }: Pick<Tables, 'messages'>,
    owner: AccountId,
    candidates: readonly Candidate[],
  ) {
    this.#messages = messages
    this.#owner = owner
    this.#candidates = candidates
  }

  /** The content of the candidate at this place; null when it was deleted in the meantime. */
  async at(place: number): Promise<QueriedContent | null> {
    if (place >= this.#readTo) await this.#readFrom(place)
    const candidate = this.#candidates[place]
    return candidate === undefined ? null : (this.#read.get(candidate.id) ?? null)
  }

  async #readFrom(place: number): Promise<void> {
    const ids: MessageId[] = []
    let bytes = 0
    for (const { id, sizeBytes } of this.#candidates.slice(place, place + MESSAGES_MAX)) {
      bytes += sizeBytes
      if (ids.length > 0 && bytes > BYTES_MAX) break
      ids.push(id)
    }
    this.#read = await this.#messages.listQueried(this.#owner, ids)
    this.#readTo = place + ids.length
  }
}
