import { apiError, type Connection, callHeaders, callUrl, connectionError } from '../connection.ts'
import { ConnectionError } from '../errors.ts'
import { checkOptions } from '../options.ts'
import { delay, retryDelayMs } from '../retry.ts'
import { type AccountEvent, EVENTS, type EventsOptions } from './account-event.ts'
import { parseEvents } from './parse-events.ts'

/** Longest silence of a stream: the service sends a comment every 15 s. */
const SILENCE_MS_MAX = 40_000

const CALL = { method: 'GET', path: '/v1/events' } as const

/**
 * The events of the account, until `signal` aborts.
 *
 * The first connection must succeed. A connection that is lost later is opened again after the last
 * event. An error that a retry cannot fix, such as a revoked key, is thrown.
 */
export async function* follow(
  requester: { connect(): Promise<Connection> },
  options: EventsOptions = {},
): AsyncGenerator<AccountEvent, void> {
  checkOptions(options, EVENTS)
  const { signal, onOpen, onLost } = options
  let { lastEventId } = options
  let wasOpen = false
  let failures = 0
  while (!isAborted(signal)) {
    try {
      const events = await openStream(await requester.connect(), { signal, lastEventId })
      wasOpen = true
      failures = 0
      onOpen?.()
      for await (const event of events) {
        lastEventId = event.id
        yield event
      }
      throw new ConnectionError('The event stream was closed.')
    } catch (error) {
      if (isAborted(signal)) return
      failures += 1
      const delayMs = retryDelayMs({ error, attempt: failures, isRepeatable: true })
      if (!wasOpen || delayMs === null) throw error
      onLost?.(error)
      await delay(delayMs, signal).catch(() => {})
    }
  }
}

/** A function, because the compiler does not know that it changes between two calls. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

async function openStream(
  connection: Connection,
  options: Pick<EventsOptions, 'signal' | 'lastEventId'>,
): Promise<AsyncGenerator<AccountEvent>> {
  const { signal, lastEventId } = options
  const stop = new AbortController()
  const abort = () => stop.abort()
  signal?.addEventListener('abort', abort)
  let timer = setTimeout(abort, SILENCE_MS_MAX)
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(abort, SILENCE_MS_MAX)
  }
  const close = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    abort()
  }
  try {
    signal?.throwIfAborted()
    const { fetch } = connection
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    const response = await fetch(callUrl(connection, CALL), {
      method: CALL.method,
      headers: callHeaders(connection, { ...CALL, headers }),
      signal: stop.signal,
    })
    const { body } = response
    if (!response.ok || body === null) throw apiError(response, await response.text(), CALL)
    return readEvents(connection, { body, heard, close })
  } catch (error) {
    close()
    throw lost(connection, error)
  }
}

async function* readEvents(
  connection: Connection,
  stream: {
    readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
    readonly heard: () => void
    readonly close: () => void
  },
): AsyncGenerator<AccountEvent> {
  try {
    yield* parseEvents(stream.body, stream.heard)
  } catch (error) {
    throw lost(connection, error)
  } finally {
    stream.close()
  }
}

/** An error of the network as one of ours; one of ours as it is. */
function lost(connection: Connection, error: unknown): unknown {
  const isOurs = error instanceof Error && 'code' in error && 'status' in error
  return isOurs ? error : connectionError(connection, { error, isLate: false })
}
