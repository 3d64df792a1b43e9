import type { AccountEvent, Message } from '@mayfly/client'

/** A message as the service keeps it. */
export type StoredMessage = Pick<Message, 'id' | 'subject' | 'read'>

type Answer = (request: { readonly url: URL; readonly body: string }) => unknown

/** An error response, with a status other than 200. */
export class Refusal {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    this.status = status
    this.code = code
  }
}

/** A service in memory, as far as the state of the dashboard calls it, behind `fetch`. */
export class TestService {
  /** Calls so far, as `METHOD path`. */
  readonly calls: string[] = []
  /** The messages of each inbox, newest first. */
  readonly inboxes = new Map<string, StoredMessage[]>()
  readonly #answers: (readonly [call: RegExp, answer: Answer])[] = []
  readonly #streams = new Set<ReadableStreamDefaultController<Uint8Array>>()
  #eventCount = 0

  readonly fetch: typeof fetch = async (input, init) => {
    const url = new URL(String(input))
    const method = init?.method ?? 'GET'
    this.calls.push(`${method} ${url.pathname}`)
    const call = `${method} ${url.pathname}`
    const own = this.#answers.find(([pattern]) => pattern.test(call))?.[1]
    if (own === undefined && url.pathname === '/v1/events') {
      return this.#openStream(init?.signal ?? null)
    }
    const request = { url, body: String(init?.body ?? '') }
    const answer = own === undefined ? this.#answer(method, request) : await own(request)
    if (!(answer instanceof Refusal)) {
      return answer === null ? new Response(null, { status: 204 }) : Response.json(answer)
    }
    const { status, code } = answer
    const error = { type: 'refused', code, message: code, requestId: 'req_1' }
    return Response.json({ error }, { status })
  }

  /** Answers calls by this function from now on. */
  when(call: RegExp, answer: Answer): void {
    this.#answers.unshift([call, answer])
  }

  /** An inbox as the service returns it. */
  inbox(id: string) {
    const messages = this.inboxes.get(id) ?? []
    const unreadCount = messages.filter(({ read }) => !read).length
    return { id, emailAddress: `${id}@mayfly.test`, messageCount: messages.length, unreadCount }
  }

  /** Sends events to the pages that follow the account. */
  announce(event: AccountEvent): void {
    this.#eventCount += 1
    const { type, ...data } = event
    const text = `id: ${this.#eventCount}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
    for (const stream of this.#streams) stream.enqueue(new TextEncoder().encode(text))
  }

  /** Stores a mail and announces it. */
  receive(inboxId: string, message: StoredMessage): void {
    this.inboxes.set(inboxId, [message, ...(this.inboxes.get(inboxId) ?? [])])
    this.#announceChange(inboxId, { type: 'message.received', message })
  }

  /** Marks a message, as another client does, and announces it. */
  mark(inboxId: string, messageId: string, read: boolean): void {
    const messages = this.inboxes.get(inboxId) ?? []
    this.inboxes.set(
      inboxId,
      messages.map((one) => (one.id === messageId ? { ...one, read } : one)),
    )
    const message = this.#message(inboxId, messageId)
    if (message !== undefined) this.#announceChange(inboxId, { type: 'message.updated', message })
  }

  /** Deletes messages and announces it. */
  delete(inboxId: string, ...messageIds: string[]): void {
    const left = (this.inboxes.get(inboxId) ?? []).filter(({ id }) => !messageIds.includes(id))
    this.inboxes.set(inboxId, left)
    this.#announceChange(inboxId, { type: 'message.deleted', messageIds })
  }

  /** Ends the streams, as a lost connection does. */
  loseStreams(): void {
    for (const stream of this.#streams) stream.close()
    this.#streams.clear()
  }

  #newest() {
    const all = [...this.inboxes].flatMap(([inboxId, messages]) =>
      messages.map((message) => ({ ...message, inboxId })),
    )
    const messages = all.sort((a, b) => (a.id < b.id ? 1 : -1))
    return { messages, nextCursor: null, indexedUntil: '2026-01-31T00:00:00.000Z' }
  }

  #announceChange(inboxId: string, change: Readonly<Record<string, unknown>>): void {
    const { messageCount, unreadCount } = this.inbox(inboxId)
    const event = { inboxId, ...change, inbox: { messageCount, unreadCount } }
    // Tests give messages the fields that the state reads.
    this.announce(event as unknown as AccountEvent)
  }

  #message(inboxId: string, messageId: string): StoredMessage | undefined {
    return this.inboxes.get(inboxId)?.find(({ id }) => id === messageId)
  }

  #openStream(signal: AbortSignal | null): Response {
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        this.#streams.add(stream)
        signal?.addEventListener('abort', () => {
          if (this.#streams.delete(stream)) stream.error(signal.reason)
        })
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

  #answer(method: string, { url, body }: { readonly url: URL; readonly body: string }): unknown {
    const [, , first, inboxId = '', part, messageId = ''] = url.pathname.split('/')
    if (first === 'search') return this.#newest()
    if (inboxId === '') {
      const newestFirst = [...this.inboxes.keys()].sort().reverse()
      return { inboxes: newestFirst.map((id) => this.inbox(id)), nextCursor: null }
    }
    const messages = this.inboxes.get(inboxId)
    if (messages === undefined) return new Refusal(404, 'inbox_not_found')
    if (part === undefined) return this.inbox(inboxId)
    if (messageId === '') return { messages, nextCursor: null }
    const message = this.#message(inboxId, messageId)
    if (message === undefined) return new Refusal(404, 'message_not_found')
    if (method === 'PATCH') this.mark(inboxId, messageId, JSON.parse(body).read)
    if (method === 'DELETE') this.delete(inboxId, messageId)
    return method === 'DELETE' ? null : this.#message(inboxId, messageId)
  }
}
