import type { CallOptions } from './call-options.ts'
import { Inbox } from './inbox.ts'
import { type InboxRecord, inboxCalls, inboxPath } from './inbox-calls.ts'
import type { Requester } from './request.ts'

/** The inbox to be made; all is optional. */
export type CreateInboxOptions = CallOptions & {
  /** A receiving domain, or `smart`: the best one. The first public one when left out. */
  readonly domain?: string
  /** The part before the @. Chosen at random when left out. */
  readonly localPart?: string
  /** 600 to 604800; a day when left out. */
  readonly ttlSeconds?: number
  /** Made by itself when left out. With your own, a repeat of the program finds the same inbox. */
  readonly idempotencyKey?: string
}

/** Calls about inboxes. */
export type InboxesCalls = {
  /** Makes an inbox. */
  create(options?: CreateInboxOptions): Promise<Inbox>
  /** The active inboxes, newest first. */
  list(options?: CallOptions): Promise<readonly Inbox[]>
  /** An inbox by its id. */
  get(inboxId: string, options?: CallOptions): Promise<Inbox>
  /** Purges an inbox and all its content at once. */
  delete(inboxId: string, options?: CallOptions): Promise<void>
}

/** Binds the calls about inboxes. */
export function inboxesCalls(requester: Requester, timeoutSeconds: number): InboxesCalls {
  const path = '/v1/inboxes'
  const handle = (record: InboxRecord) =>
    new Inbox(record, { calls: inboxCalls(requester, record.id), timeoutSeconds })
  return {
    create: async ({ signal, idempotencyKey = randomKey(), ...body } = {}) => {
      const { inbox } = await requester.json<{ inbox: InboxRecord }>({
        method: 'POST',
        path,
        body,
        headers: { 'idempotency-key': idempotencyKey },
        isRepeatable: true,
        signal,
      })
      return handle(inbox)
    },
    list: async ({ signal } = {}) => {
      const call = { method: 'GET', path, signal } as const
      return (await requester.json<{ inboxes: InboxRecord[] }>(call)).inboxes.map(handle)
    },
    get: async (inboxId, { signal } = {}) =>
      handle(await requester.json({ method: 'GET', path: inboxPath(inboxId), signal })),
    delete: (inboxId, { signal } = {}) =>
      requester.done({ method: 'DELETE', path: inboxPath(inboxId), signal }),
  }
}

/** Not `randomUUID`: browsers have it only on pages that came by TLS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
