import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { App } from '../app/api.ts'
import { ServiceError } from '../errors.ts'
import { createIds } from '../platform/ids.ts'
import type { McpRequest } from './protocol.ts'
import { createMcp } from './server.ts'

type WaitOptions = { readonly timeoutMs: number; readonly gone: AbortSignal }

/** An endpoint over a service where nothing ever arrives; `waits` are the waits asked of it. */
function silentService(wait: (options: WaitOptions) => Promise<void>) {
  const waits: number[] = []
  let now = 0
  const messages = {
    waitForId: async (_caller: unknown, options: WaitOptions) => {
      waits.push(options.timeoutMs)
      await wait(options)
      now += options.timeoutMs
      throw new ServiceError('nothing_arrived')
    },
  }
  return { ...endpoint({ messages }, () => now), waits }
}

/** An endpoint over the few functions that a test calls. */
function endpoint(app: object, elapsedMs = () => 0) {
  const logged: unknown[] = []
  const handle = createMcp({
    // A tool calls one function, and that one is there.
    app: { describe: () => ({ version: '0.0.0' }), ...app } as unknown as App,
    ids: createIds({ now: () => 0 }),
    log: { error: (line: unknown) => logged.push(line) },
    elapsedMs,
    now: () => 0,
  })
  return { handle, logged }
}

function request(body: object, gone = new AbortController().signal): McpRequest {
  return {
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': 'one',
    },
    body: { jsonrpc: '2.0', ...body },
    // A name to tell callers apart by is all that is looked at.
    caller: { keyId: 'key_1' } as unknown as McpRequest['caller'],
    requestId: 'req_1',
    gone,
  }
}

function toolRequest(name: string, args: object, gone?: AbortSignal): McpRequest {
  return request({ id: 1, method: 'tools/call', params: { name, arguments: args } }, gone)
}

function waitRequest(timeoutSeconds: number, gone?: AbortSignal): McpRequest {
  return toolRequest('wait_for_message', { inboxId: 'inb_1', timeoutSeconds }, gone)
}

describe('a wait of an agent', () => {
  it('lasts as long as was asked for, in rounds of at most 50 s', async () => {
    const { handle, waits } = silentService(async () => {})
    const answer = await (await handle(waitRequest(120))).text()
    assert.deepEqual(waits, [50_000, 50_000, 20_000])
    assert.match(answer, /nothing_arrived: Nothing matching arrived in time\./)
  })

  it('asks for at most five minutes', async () => {
    const { handle, waits } = silentService(async () => {})
    const answer = await (await handle(waitRequest(301))).text()
    assert.match(answer, /invalid_parameter: timeoutSeconds: must be at most 300/)
    assert.deepEqual(waits, [])
  })

  it('ends when the client is gone, without another round', async () => {
    const { promise: heard, resolve } = Promise.withResolvers<void>()
    const { handle, waits } = silentService(({ gone }) => {
      gone.addEventListener('abort', () => resolve())
      return heard
    })
    const client = new AbortController()
    const response = await handle(waitRequest(300, client.signal))
    client.abort()
    await heard
    assert.equal(await response.text(), '')
    assert.deepEqual(waits, [50_000])
  })

  it('ends when a second request of its session cancels it', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: cancelled, resolve } = Promise.withResolvers<void>()
    const { handle } = silentService(({ gone }) => {
      gone.addEventListener('abort', () => resolve())
      begin()
      return cancelled
    })
    const response = await handle(waitRequest(300))
    await begun
    await handle(request({ method: 'notifications/cancelled', params: { requestId: 1 } }))
    assert.equal(await response.text(), '')
  })

  it('does not begin for a client that is gone already', async () => {
    const { handle, waits } = silentService(async () => {})
    await (await handle(waitRequest(300, AbortSignal.abort()))).text()
    assert.deepEqual(waits, [])
  })

  it('tells of our bugs no more than where to look them up', async () => {
    const { handle, logged } = silentService(async () => {
      throw new Error('the secret of the database')
    })
    const answer = await (await handle(waitRequest(1))).text()
    assert.match(answer, /internal_error: An internal error occurred\..*req_1/)
    assert.doesNotMatch(answer, /secret/)
    assert.equal(logged.length, 1)
  })
})

describe('a plain call of an agent', () => {
  it('is answered though it was cancelled: its client may still listen', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: found, resolve } = Promise.withResolvers<object[]>()
    const list = () => {
      begin()
      return found
    }
    const { handle } = endpoint({ scenarios: { list } })
    const answering = handle(toolRequest('list_scenarios', {}))
    await begun
    const params = { requestId: 1 }
    const response = await handle(request({ method: 'notifications/cancelled', params }))
    assert.equal(response.status, 202)
    resolve([])
    assert.match(await (await answering).text(), /"text":"\{\\"scenarios\\":\[\]\}"/)
  })
})
