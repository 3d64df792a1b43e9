import type { Delivery, DiagnosticEvent, InboxRecord, MessageSummary } from '@mayfly/client'
import { SERVICE } from './session.ts'
import type { HeldWait } from './state/waits.ts'

/** What happens in the account. */
export type AccountEvent =
  | { readonly type: 'reset'; readonly reason: string }
  | {
      readonly type: 'message.received'
      readonly inboxId: string
      readonly message: MessageSummary
    }
  | { readonly type: 'message.updated'; readonly inboxId: string; readonly message: MessageSummary }
  | {
      readonly type: 'message.deleted'
      readonly inboxId: string
      readonly messageIds: readonly string[]
    }
  | { readonly type: 'inbox.created'; readonly inbox: InboxRecord }
  | { readonly type: 'inbox.deleted' | 'inbox.expired'; readonly inboxId: string }
  | { readonly type: 'diagnostics'; readonly inboxId: string; readonly event: DiagnosticEvent }
  | { readonly type: 'delivery.updated'; readonly delivery: Delivery }
  | { readonly type: 'wait.started' | 'wait.ended'; readonly wait: HeldWait }

/** How a stream is opened. */
export type StreamOptions = {
  readonly apiKey: string
  /** The last event that was read; the stream goes on after it. */
  readonly lastEventId: string | null
  readonly signal: AbortSignal
  readonly onOpen: () => void
}

/** The service did not open the stream. */
export class StreamRefused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`the service answered ${status}`)
    this.status = status
  }
}

/**
 * The events of the account until the stream ends, each with the id to go on after.
 *
 * Not EventSource: it cannot send the key in a header, and a key in a cookie would be sent by
 * pages of others, too.
 */
export async function* readAccountEvents(
  options: StreamOptions,
): AsyncGenerator<{ readonly id: string; readonly event: AccountEvent }> {
  const { apiKey, lastEventId, signal } = options
  const response = await fetch(`${SERVICE.baseUrl}/v1/events`, {
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
    },
    signal,
  })
  if (!response.ok || response.body === null) throw new StreamRefused(response.status)
  options.onOpen()
  let rest = ''
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const parsed = parseBlock(block)
      if (parsed !== null) yield parsed
    }
  }
}

/** One event; null for a comment, which only keeps the connection. */
function parseBlock(block: string): { readonly id: string; readonly event: AccountEvent } | null {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
  const data = fields.get('data')
  if (data === undefined) return null
  return { id: fields.get('id') ?? '', event: { type: fields.get('event'), ...JSON.parse(data) } }
}
