import type { CallOptions } from './connection.ts'
import type { InboxState } from './diagnostics.ts'
import { Inbox, type StartWait } from './inbox.ts'
import { type InboxRecord, inboxCalls, inboxPath } from './inbox-calls.ts'
import { callOptions } from './options.ts'
import { type Pages, pages } from './pages.ts'
import type { Requester } from './request.ts'

/** The inbox to create; all fields are optional. */
export type CreateInboxOptions = CallOptions & {
  /** A receiving domain, or `smart` for the best one. Default: the first public one. */
  readonly domain?: string
  /** The part before the @. Default: random. */
  readonly localPart?: string
  /** 600 to 604800. Default: 86400, a day. */
  readonly ttlSeconds?: number
  /**
   * Makes a catch-all inbox: it accepts mail for any recipient, by SMTP AUTH, and never expires.
   */
  readonly catchAll?: boolean
  /** How many of its newest messages a catch-all inbox keeps. Default: 500. */
  readonly keepMessages?: number
  /** Default: random. With a fixed key, a second run of the program gets the same inbox. */
  readonly idempotencyKey?: string
}

/** Which inboxes to list. */
type ListInboxesOptions = CallOptions & {
  /** `unexpired`: active or suspended. Default: `active`. */
  readonly state?: InboxState | 'unexpired' | 'all' | undefined
  /** 1 to 1000, which is the default. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

/** One page of inboxes, newest first; `nextCursor` is null on the last one. */
type InboxPage = {
  readonly inboxes: readonly Inbox[]
  readonly nextCursor: string | null
}

/** A new inbox, or the one that an earlier call with the same key had created. */
export type CreatedInbox = { readonly inbox: Inbox; readonly replayed: boolean }

/** Calls about inboxes. */
export type InboxesCalls = {
  /** Creates an inbox. */
  create(options?: CreateInboxOptions): Promise<Inbox>
  /** The inboxes, newest first; the active ones unless `state` says otherwise. */
  list(options?: ListInboxesOptions): Pages<InboxPage, Inbox>
  /** An inbox by its id. */
  get(inboxId: string, options?: CallOptions): Promise<Inbox>
  /** Deletes an inbox and all its content immediately. */
  delete(inboxId: string, options?: CallOptions): Promise<void>
}

/** Binds the calls about inboxes. */
export function inboxesCalls(requester: Requester, startWait: StartWait): InboxesCalls {
  const toInbox = inboxOf(requester, startWait)
  return {
    create: async (options) => (await createInbox(requester, startWait, options)).inbox,
    list: ({ signal, ...query } = {}) =>
      pages(
        query,
        async (of) => {
          const page = await requester.json<{
            readonly inboxes: readonly InboxRecord[]
            readonly nextCursor: string | null
          }>({ method: 'GET', path: PATH, query: of, signal })
          return { ...page, inboxes: page.inboxes.map(toInbox) }
        },
        ({ inboxes }) => inboxes,
      ),
    get: async (inboxId, options) =>
      toInbox(
        await requester.json({ method: 'GET', path: inboxPath(inboxId), ...callOptions(options) }),
      ),
    delete: async (inboxId, options) =>
      requester.done({ method: 'DELETE', path: inboxPath(inboxId), ...callOptions(options) }),
  }
}

/** Creates an inbox, and returns whether it existed. */
export async function createInbox(
  requester: Requester,
  startWait: StartWait,
  { signal, idempotencyKey = randomKey(), ...body }: CreateInboxOptions = {},
): Promise<CreatedInbox> {
  const { body: answer, headers } = await requester.jsonAndHeaders<{ inbox: InboxRecord }>({
    method: 'POST',
    path: PATH,
    body,
    headers: { 'idempotency-key': idempotencyKey },
    isRepeatable: true,
    signal,
  })
  const inbox = inboxOf(requester, startWait)(answer.inbox)
  return { inbox, replayed: headers.get('idempotent-replayed') === 'true' }
}

const PATH = '/v1/inboxes'

function inboxOf(requester: Requester, startWait: StartWait): (record: InboxRecord) => Inbox {
  return (record) => new Inbox(record, { calls: inboxCalls(requester, record.id), startWait })
}

/** Not `randomUUID`: browsers have it only on pages loaded by HTTPS. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}
