import type { AccountEvent } from './account-event.ts'

/** The events of a `text/event-stream`; `heard` is called for whatever arrives, comments too. */
export async function* parseEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  heard: () => void,
): AsyncGenerator<AccountEvent> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  try {
    for (;;) {
      // Not `for await`: not every browser iterates over streams.
      const { done, value } = await reader.read()
      if (done) return
      heard()
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseBlock(block)
        if (event !== null) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function parseBlock(block: string): AccountEvent | null {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) fields.set(name, value)
  }
  const [type, id, data] = ['event', 'id', 'data'].map((name) => fields.get(name))
  if (type === undefined || id === undefined || data === undefined) return null
  // The form of what the service sends is not validated here, as with every response.
  return { ...JSON.parse(data), type, id } as AccountEvent
}
