import { CommandFailed, messageOf } from './exit.ts'
import type { Terminal } from './terminal.ts'

/** A message of the protocol, as far as it is read here. */
type Message = {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: { readonly requestId?: unknown }
}

/** A response: a message, or an error of the API. */
type Body = {
  readonly jsonrpc?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown }
}

type Service = { readonly baseUrl: string; readonly apiKey: string }

type Call = { readonly line: string; readonly id: unknown; readonly signal: AbortSignal }

/** Error codes of JSON-RPC. */
const PARSE_ERROR = -32700
const INTERNAL_ERROR = -32603

/**
 * Returns a function that passes one message to the service and writes the response.
 *
 * A request that cannot be passed on gets an error. `ended` aborts requests in progress.
 */
export function createBridge(
  terminal: Terminal,
  choose: () => Promise<Service>,
  ended: AbortSignal,
): (line: string) => Promise<void> {
  const calls = new Map<unknown, AbortController>()
  const fail = (id: unknown, code: number, error: unknown) => {
    const message = terminal.withCommands(messageOf(error))
    terminal.err(`mayfly: ${message}\n`)
    if (id === undefined) return
    terminal.out(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`)
  }
  return async (line) => {
    const message = parse<Message>(line)
    if (message === null) {
      return fail(null, PARSE_ERROR, new CommandFailed('a line must be a message in JSON.'))
    }
    const { id, method, params } = message
    // Ends the connection of the call, by which any node of the service learns it.
    if (method === 'notifications/cancelled') return calls.get(params?.requestId)?.abort()
    const cancelled = new AbortController()
    const signal = AbortSignal.any([ended, cancelled.signal])
    calls.set(id, cancelled)
    try {
      const service = await choose()
      for await (const answer of send(service, { line, id, signal })) terminal.out(`${answer}\n`)
    } catch (error) {
      if (!signal.aborted) fail(id, INTERNAL_ERROR, error)
    } finally {
      calls.delete(id)
    }
  }
}

/** Sends a message; yields those of the response. */
async function* send(service: Service, call: Call): AsyncGenerator<string> {
  try {
    yield* exchange(service, call)
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    // Node's own message is only "fetch failed".
    const { cause = error } = error instanceof Error ? error : {}
    const { code, message } = cause as NodeJS.ErrnoException // Of a socket, or Node's own.
    throw new CommandFailed(
      `Mayfly at ${service.baseUrl} cannot be reached: ${code ?? message}. Start it with \`mayfly serve\`, or set MAYFLY_BASE_URL to its URL; then call again.`,
    )
  }
}

async function* exchange({ baseUrl, apiKey }: Service, call: Call): AsyncGenerator<string> {
  const response = await fetch(`${baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
    },
    body: call.line,
    signal: call.signal,
  })
  if (response.status === 202) return
  if (response.body !== null && response.headers.get('content-type') === 'text/event-stream') {
    return yield* readStream(response.body)
  }
  const body = parse<Body>(await response.text())
  if (body?.jsonrpc === undefined) throw refusal(response, body)
  // An error that is found before the message is read has no id.
  yield JSON.stringify({ ...body, id: call.id ?? null })
}

/** The messages of a stream; the last one is the response. */
async function* readStream(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      // Undefined for a comment, which keeps the connection open.
      const data = event.split('\n').find((line) => line.startsWith('data: '))
      if (data === undefined) continue
      const message = data.slice('data: '.length)
      yield message
      if (parse<Message>(message)?.method === undefined) return
    }
  }
  throw new Error('the connection ended before the response')
}

/** The error for a response that is not of the protocol. */
function refusal({ status, headers }: Response, body: Body | null): CommandFailed {
  if (body?.error?.code === undefined) {
    return new CommandFailed(`the response (${status}) is not from Mayfly. Check MAYFLY_BASE_URL.`)
  }
  const { code, message } = body.error
  const seconds = headers.get('retry-after')
  const next = seconds === null ? '' : ` Call again in ${seconds} s.`
  return new CommandFailed(`${code}: ${message}${next}`)
}

function parse<Form>(text: string): Form | null {
  try {
    return JSON.parse(text) as Form // Each field is checked where it is used.
  } catch {
    return null
  }
}
