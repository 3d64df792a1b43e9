import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import type { Selectable } from 'kysely'
import { type Access, compiledOnce } from '../compiled-query.ts'
import type { Schema } from '../schema.ts'
import { messagesAmong, NAME_COLUMNS, type Newest, newest } from './message-rows.ts'

/** The parts of a message that a wait or a search can filter by, except its content. */
export type Candidate = {
  readonly id: MessageId
  readonly sequence: number
  readonly receivedAt: number
  readonly from: { readonly name: string | null; readonly address: string | null }
  readonly subject: string | null
  readonly sizeBytes: number
  readonly isRead: boolean
  readonly hasAttachments: boolean
  /** The one-time code. */
  readonly otp: string | null
  readonly inbox: { readonly id: InboxId; readonly address: string }
}

/** A page of candidates, with numbers between `after` and `before`. */
export type CandidatePage = {
  readonly after: number
  readonly before: number
  readonly limit: number
  /** Whether sender and subject are read, which may be long; they are null otherwise. */
  readonly withNames: boolean
}

/** Messages as waits and searches read them. */
export class Candidates {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  /** Candidates for a wait or a search, newest first. */
  async list(owner: AccountId, inboxId: InboxId, page: CandidatePage): Promise<Candidate[]> {
    const { withNames, after, before, limit } = page
    const list = withNames ? listNamed : listUnnamed
    const rows = await list(this.#access, { owner, inboxId, after, before, limit })
    return rows.map(toCandidate)
  }

  /** The candidates among these messages of the account, in any order. */
  async listByIds(owner: AccountId, ids: readonly MessageId[]): Promise<Candidate[]> {
    if (ids.length === 0) return []
    const rows = await messagesAmong(this.#access.db, owner, ids)
      .select(CANDIDATE_COLUMNS)
      .select(NAME_COLUMNS)
      .execute()
    return rows.map(toCandidate)
  }
}

const CANDIDATE_COLUMNS = [
  'message.id',
  'message.sequence',
  'message.received_at',
  'message.otp_value',
  'message.size_bytes',
  'message.is_read',
  'message.has_attachments',
  'message.inbox_id',
  'inbox.address',
] as const

type MessageColumns = Selectable<Schema['message']>

type CandidateRow = Pick<
  MessageColumns,
  | 'id'
  | 'sequence'
  | 'received_at'
  | 'otp_value'
  | 'size_bytes'
  | 'is_read'
  | 'has_attachments'
  | 'inbox_id'
> &
  Partial<Pick<MessageColumns, 'from_name' | 'from_address' | 'subject'>> & {
    readonly address: string
  }

function toCandidate(row: CandidateRow): Candidate {
  return {
    id: row.id,
    sequence: row.sequence,
    receivedAt: row.received_at,
    from: { name: row.from_name ?? null, address: row.from_address ?? null },
    subject: row.subject ?? null,
    sizeBytes: row.size_bytes,
    isRead: row.is_read === 1,
    hasAttachments: row.has_attachments === 1,
    otp: row.otp_value,
    inbox: { id: row.inbox_id, address: row.address },
  }
}

const listUnnamed = compiledOnce((db, given: Newest) => newest(db, given).select(CANDIDATE_COLUMNS))

const listNamed = compiledOnce((db, given: Newest) =>
  newest(db, given).select(CANDIDATE_COLUMNS).select(NAME_COLUMNS),
)
