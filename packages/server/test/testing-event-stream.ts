import type { AccountEventType } from '@mayfly/contract'
import type { ApiClient } from './testing-api-client.ts'

/** An event as a stream sent it. */
export type StreamedEvent = {
  readonly id: string
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on the parts it names.
  readonly data: any
}

/** An open event stream. */
export type EventReader = AsyncDisposable & {
  /** The next event, of these types alone when some are given; the others are passed over. */
  next(...types: AccountEventType[]): Promise<StreamedEvent>
  /** What is left until the service ends the stream. */
  rest(): Promise<StreamedEvent[]>
}

/** Longest that a test waits for an event that must come soon. */
const PATIENCE_MS = 60_000

/** Opens the event stream at this path. */
export async function openEvents(
  client: ApiClient,
  options: { readonly path?: string; readonly lastEventId?: string } = {},
): Promise<EventReader> {
  const { url, headers } = client.streamUrl(options.path ?? '/v1/events')
  const stop = new AbortController()
  const resume = options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId }
  const response = await fetch(url, { headers: { ...headers, ...resume }, signal: stop.signal })
  if (response.status !== 200 || response.body === null) {
    throw new Error(`no stream: ${response.status} ${await response.text()}`)
  }
  // Read from at once: fetch cancels a body that nobody reads when its response is collected.
  const events = parse(response.body.pipeThrough(new TextDecoderStream()).getReader())
  const read = async () => {
    const timer = setTimeout(() => stop.abort(new Error('no such event came')), PATIENCE_MS)
    try {
      return await events.next()
    } finally {
      clearTimeout(timer)
    }
  }
  return {
    next: async (...types) => {
      for (;;) {
        const { done, value } = await read()
        if (done === true) throw new Error('the stream has ended')
        if (types.length === 0 || types.some((type) => type === value.type)) return value
      }
    },
    rest: async () => {
      const left: StreamedEvent[] = []
      for (;;) {
        const { done, value } = await read()
        if (done === true) return left
        left.push(value)
      }
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await events.next().catch(() => {})
    },
  }
}

async function* parse(
  reader: ReadableStreamDefaultReader<string>,
): AsyncGenerator<StreamedEvent, undefined> {
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return undefined
    text += value
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, id, type, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? []
      if (id === undefined || type === undefined) continue
      yield { id, type, data: JSON.parse(data ?? 'null') }
    }
  }
}
