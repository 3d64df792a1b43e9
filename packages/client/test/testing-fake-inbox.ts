import type { InboxRecord } from '../src/inbox-calls.ts'
import type { Diagnostics, Message } from '../src/index.ts'
import { errorResponse, type FakeResponse, type SeenCall } from './testing-fake-http.ts'

/** One inbox as the interface describes it: list, read, wait, watermark, diagnostics. */
export class FakeInbox {
  readonly #messages: Message[] = []
  readonly #listeners = new Set<() => void>()
  #deleted = false

  /** The response of the diagnostics. */
  diagnostics: Diagnostics = {
    state: 'active',
    events: [{ stage: 'inbox.created', at: '2026-01-31T09:00:00.000Z', detail: null }],
    domain: { domain: 'mayfly.test', status: 'active' },
    nextSteps: ['Check that the application sends to port 1025.'],
  }

  /** Lets messages arrive, all at once. */
  deliver(...messages: readonly Partial<Message>[]): void {
    for (const fields of messages) {
      const number = this.#messages.length + 1
      const receivedAt = new Date(Date.UTC(2026, 0, 31, 9, 30, number)).toISOString()
      this.#messages.push(fakeMessage({ id: `msg_${number}`, receivedAt, ...fields }))
    }
    for (const listener of this.#listeners) listener()
  }

  /** How many calls are being held. */
  get held(): number {
    return this.#listeners.size
  }

  /** The usual response to a call. */
  async respond(call: SeenCall, gone: AbortSignal): Promise<FakeResponse> {
    const [, , , id, noun, messageId] = call.path.split('/')
    if (id === undefined) {
      if (call.method === 'GET') return { status: 200, body: this.#inboxes() }
      return { status: 201, body: { inbox: this.#record() } }
    }
    if (this.#deleted || id !== 'inb_1') return errorResponse(404, 'inbox_not_found')
    if (call.method === 'DELETE') {
      this.#deleted = true
      return { status: 204 }
    }
    if (noun === undefined) return { status: 200, body: this.#record() }
    if (noun === 'diagnostics') return { status: 200, body: this.diagnostics }
    if (noun === 'wait') return this.#wait(call.query, gone)
    if (messageId === undefined) return this.#list(call.query)
    const message = this.#messages.find((one) => one.id === messageId)
    return message === undefined
      ? errorResponse(404, 'message_not_found')
      : { status: 200, body: message }
  }

  /** Two messages a page, so that a short test turns pages. */
  #list(query: URLSearchParams): FakeResponse {
    const begin = Number(query.get('cursor') ?? 0)
    const newestFirst = this.#counting(query).reverse()
    const nextCursor = begin + 2 < newestFirst.length ? String(begin + 2) : null
    return { status: 200, body: { messages: newestFirst.slice(begin, begin + 2), nextCursor } }
  }

  async #wait(query: URLSearchParams, gone: AbortSignal): Promise<FakeResponse> {
    const has = (text: string | null, parameter: string) =>
      text?.toLowerCase().includes((query.get(parameter) ?? '').toLowerCase()) ?? false
    const isWanted = ({ otp, from, subject, text }: Message) =>
      (query.get('for') !== 'otp' || otp !== null) &&
      (has(from.name, 'from') || has(from.address, 'from')) &&
      has(subject ?? '', 'subjectContains') &&
      has(text ?? '', 'textContains')
    const look = () => this.#counting(query).filter(isWanted).at(-1)
    const timeout = AbortSignal.timeout(Number(query.get('timeoutSeconds')) * 1000)
    const end = AbortSignal.any([timeout, gone])
    for (;;) {
      const message = look()
      if (message !== undefined) return { status: 200, body: { message } }
      if (end.aborted) return this.#nothingArrived()
      await this.#arrival(end)
    }
  }

  #arrival(end: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const listener = () => {
        this.#listeners.delete(listener)
        end.removeEventListener('abort', listener)
        resolve()
      }
      this.#listeners.add(listener)
      end.addEventListener('abort', listener)
    })
  }

  #nothingArrived(): FakeResponse {
    const considered = this.#messages.map(({ id, subject, receivedAt }) => {
      return { id, subject, receivedAt, reason: 'it came before the watermark' }
    })
    const error = { type: 'timeout', code: 'nothing_arrived', message: 'Nothing arrived.' }
    return { status: 408, body: { error, diagnostics: { ...this.diagnostics, considered } } }
  }

  #counting(query: URLSearchParams): Message[] {
    const after = Number(query.get('after') ?? 0)
    const since = query.get('since') ?? ''
    return this.#messages.filter((one, index) => index >= after && one.receivedAt >= since)
  }

  #inboxes() {
    return { inboxes: [this.#record()], nextCursor: null }
  }

  #record(): InboxRecord {
    return {
      id: 'inb_1',
      emailAddress: 'qa@mayfly.test',
      createdAt: '2026-01-31T09:00:00.000Z',
      expiresAt: '2026-02-01T09:00:00.000Z',
      messageCount: this.#messages.length,
      unreadCount: this.#messages.length,
      state: 'active',
      environment: 'test',
      watermark: String(this.#messages.length),
      catchAll: false,
      keepMessages: null,
    }
  }
}

/** A whole message with these fields and unremarkable others. */
export function fakeMessage(fields: Partial<Message> = {}): Message {
  return {
    id: 'msg_1',
    inboxId: 'inb_1',
    recipient: 'qa@mayfly.test',
    recipients: ['qa@mayfly.test'],
    from: { name: 'Acme', address: 'noreply@acme.example' },
    to: [{ name: null, address: 'qa@mayfly.test' }],
    cc: [],
    replyTo: [],
    subject: 'Welcome',
    preview: null,
    sentAt: null,
    provider: null,
    receivedAt: '2026-01-31T09:30:00.000Z',
    hasAttachments: false,
    hasOtp: fields.otp !== undefined && fields.otp !== null,
    read: false,
    sizeBytes: 100,
    text: 'Hello.',
    html: null,
    otp: null,
    links: [],
    attachments: [],
    headers: [],
    auth: null,
    envelope: { mailFrom: '', rcptTo: '', remoteAddress: '', helo: null, tls: null },
    defects: [],
    ...fields,
  }
}
