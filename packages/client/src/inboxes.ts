import type { CallOptions } from './connection.ts'
import type { InboxState } from './diagnostics.ts'
import { Inbox, type StartWait } from './inbox.ts'
import { type InboxRecord, inboxCalls, inboxPath } from './inbox-calls.ts'
import { type MessageCalls, messageCalls } from './messages.ts'
import type { Requester } from './request.ts'

/** The inbox to create; all fields are optional. */
export type CreateInboxOptions = CallOptions & {
  /** A receiving domain, or `smart` for the best one. Default: the first public one. */
  readonly domain?: string
  /** The part before the @. Default: random. */
  readonly localPart?: string
  /** 600 to 604800. Default: 86400, a day. */
  readonly ttlSeconds?: number
  /** Makes a project inbox: it takes mail for any recipient, by SMTP AUTH, and never expires. */
  readonly catchAll?: boolean
  /** How many of its newest messages a project inbox keeps. Default: 500. */
  readonly keepMessages?: number
  /** Default: random. With a fixed key, a second run of the program gets the same inbox. */
  readonly idempotencyKey?: string
}

/** Which inboxes to list. */
export type ListInboxesOptions = CallOptions & {
  /** `unexpired`: active or suspended. Default: `active`. */
  readonly state?: InboxState | 'unexpired' | 'all' | undefined
  /** 1 to 1000, which is the default. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

/** A page of inboxes. */
export type InboxPage = readonly Inbox[] & {
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** Calls about inboxes. */
export type InboxesCalls = {
  /** Creates an inbox; `replayed`: an earlier call with the same key had created it. */
  create(options?: CreateInboxOptions): Promise<Inbox & { readonly replayed: boolean }>
  /** A page of inboxes, newest first; the active ones unless `state` says otherwise. */
  list(options?: ListInboxesOptions): Promise<InboxPage>
  /** An inbox by its id. */
  get(inboxId: string, options?: CallOptions): Promise<Inbox>
  /** Deletes an inbox and all its content immediately. */
  delete(inboxId: string, options?: CallOptions): Promise<void>
  /** The messages of an inbox whose id is known, without reading the inbox; sends nothing yet. */
  messages(inboxId: string): MessageCalls
}

/** Binds the calls about inboxes. */
export function inboxesCalls(requester: Requester, startWait: StartWait): InboxesCalls {
  const path = '/v1/inboxes'
  const toInbox = (record: InboxRecord) =>
    new Inbox(record, { calls: inboxCalls(requester, record.id), startWait })
  return {
    create: async ({ signal, idempotencyKey = randomKey(), ...body } = {}) => {
      const { body: answer, headers } = await requester.jsonAndHeaders<{ inbox: InboxRecord }>({
        method: 'POST',
        path,
        body,
        headers: { 'idempotency-key': idempotencyKey },
        isRepeatable: true,
        signal,
      })
      const replayed = headers.get('idempotent-replayed') === 'true'
      return withHidden(toInbox(answer.inbox), 'replayed', replayed)
    },
    list: async ({ signal, ...query } = {}) => {
      const { inboxes, nextCursor } = await requester.json<{
        inboxes: InboxRecord[]
        nextCursor: string | null
      }>({ method: 'GET', path, query, signal })
      return withHidden(inboxes.map(toInbox), 'nextCursor', nextCursor)
    },
    get: async (inboxId, { signal } = {}) =>
      toInbox(await requester.json({ method: 'GET', path: inboxPath(inboxId), signal })),
    delete: (inboxId, { signal } = {}) =>
      requester.done({ method: 'DELETE', path: inboxPath(inboxId), signal }),
    messages: (inboxId) => messageCalls(requester, inboxPath(inboxId)),
  }
}

/** Adds a field that is not enumerable: the value stays equal to one without it. */
function withHidden<Of extends object, Name extends string, Value>(
  of: Of,
  name: Name,
  value: Value,
): Of & Readonly<Record<Name, Value>> {
  // The type of `defineProperty` does not tell what it defines.
  return Object.defineProperty(of, name, { value }) as Of & Readonly<Record<Name, Value>>
}

/** Not `randomUUID`: browsers have it only on pages loaded by HTTPS. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}
