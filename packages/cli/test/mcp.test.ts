import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import type { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { connectAgent, startAgent } from '../../server/test/testing-agent.ts'
import { freePort } from '../../server/test/testing-free-port.ts'
import { startService } from '../../server/test/testing-start-service.ts'
import { until } from '../../server/test/testing-until.ts'
import { openShell } from './testing-run-command.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

/** What docs/agents.md has for agents that start a program. */
async function documentedServer() {
  const page = await readFile(join(ROOT, 'docs', 'agents.md'), 'utf8')
  const blocks = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, code]) => String(code))
  const { mayfly } = JSON.parse(
    blocks.find((block) => block.includes('"command"')) ?? '',
  ).mcpServers
  const added = /^claude mcp add mayfly -- npx (.+)$/m.exec(page)?.[1]
  return { command: basename(mayfly.command), args: mayfly.args, added }
}

/** The answers among the lines that a command has written, by the id of their request. */
function answers(out: string) {
  const messages = out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
  return new Map(messages.map((message) => [message.id, message]))
}

describe('mayfly mcp', () => {
  it('offers what /mcp offers, as documented', async () => {
    await using service = await startService()
    const dev = await service.register()
    const { command, args, added } = await documentedServer()
    assert.equal(added, [command, ...args].join(' '))
    const transport = new StdioClientTransport({
      command: join(ROOT, 'node_modules', '.bin', command),
      args,
      env: { MAYFLY_BASE_URL: service.httpUrl, MAYFLY_API_KEY: dev.key },
      stderr: 'pipe',
    })
    const logged = once(transport.stderr ?? assert.fail(), 'data')
    await using direct = await connectAgent(service.httpUrl, dev)
    await using agent = await startAgent(transport)
    for (const offers of [
      (client: Client) => client.getServerVersion(),
      (client: Client) => client.getInstructions(),
      (client: Client) => client.listTools(),
      (client: Client) => client.listPrompts(),
      (client: Client) => client.listResourceTemplates(),
    ]) {
      assert.deepEqual(await offers(agent.client), await offers(direct.client))
    }
    assert.match(String(await logged), /^Messages are passed to http:\S+\/mcp until/)

    const { inbox } = (await agent.call('create_inbox')).data
    const { promise: begun, resolve } = Promise.withResolvers<unknown>()
    const wait = { inboxId: inbox.id, timeoutSeconds: 60 }
    const waiting = agent.call('wait_for_code', wait, { onprogress: resolve })
    assert.partialDeepStrictEqual(await begun, { progress: 0, total: 60 })
    await service.sendMail({ to: inbox.emailAddress, text: 'Your code is 481516. \u{1F98B}' })
    const { otp, messageId } = (await waiting).data
    assert.equal(otp.value, '481516')
    const uri = `mayfly://inboxes/${inbox.id}/messages/${messageId}`
    const [content] = (await agent.client.readResource({ uri })).contents
    assert.match(JSON.stringify(content), /Your code is 481516\. \u{1F98B}/u)
    await assert.rejects(agent.client.readResource({ uri: 'mayfly://x' }), { code: -32602 })
  })

  it('ends a call that is cancelled, and with its input all that are left', async () => {
    const plan = 'concurrentWaits=1,requestsPerMinute=none'
    const env = { MAYFLY_DEFAULT_PLAN: 'key_only', MAYFLY_PLAN_KEY_ONLY: plan }
    await using service = await startService({ env })
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await using direct = await connectAgent(service.httpUrl, dev)
    const look = async () => {
      const wait = { inboxId: inbox.id, timeoutSeconds: 0 }
      return String((await direct.call('wait_for_message', wait)).texts[0]).split(':')[0]
    }
    const untilFree = () => until(async () => ((await look()) === 'nothing_arrived' ? true : null))
    const main = join(ROOT, 'packages', 'cli', 'src', 'main.ts')
    using child = spawn(process.execPath, [main, 'mcp', '--url', service.httpUrl], {
      env: { ...process.env, MAYFLY_API_KEY: dev.key },
    })
    const exited = once(child, 'exit')
    const lines = on(createInterface(child.stdout), 'line')
    const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)
    const startWait = async (id: number) => {
      const call = { inboxId: inbox.id, timeoutSeconds: 300 }
      const params = { name: 'wait_for_message', arguments: call, _meta: { progressToken: id } }
      send({ jsonrpc: '2.0', id, method: 'tools/call', params })
      const [line] = (await lines.next()).value ?? []
      assert.equal(JSON.parse(line).params.progressToken, id)
      assert.equal(await look(), 'concurrent_waits_exceeded')
    }
    await startWait(1)
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await untilFree()
    await startWait(2)
    child.stdin.end()
    await untilFree()
    assert.deepEqual(await exited, [0, null])
  })

  it('waits for the service, and says so', async () => {
    const port = String(await freePort())
    const url = `http://127.0.0.1:${port}`
    await using shell = await openShell({ env: { MAYFLY_BASE_URL: url } })
    const running = shell.start('mcp')
    const ask = async (id: number) => {
      running.input.write(`${JSON.stringify({ ...list, id })}\n`)
      return until(async () => answers(running.out()).get(id) ?? null)
    }
    const refused = (await ask(1)).error
    assert.equal(refused.code, -32603)
    assert.match(refused.message, /^Mayfly at \S+ cannot be reached: ECONNREFUSED\. Is it running/)
    assert.ok(running.err().includes(`mayfly: ${refused.message}\n`))
    // Its key is that of the local account.
    await using _service = await startService({
      env: { MAYFLY_HTTP_PORT: port },
      hasLocalAccount: true,
    })
    assert.equal((await ask(2)).result.tools.length, 18)
    running.interrupt()
    assert.equal((await running.outcome).code, 0)
  })

  it('answers each request, whatever comes instead of an answer', async () => {
    const json = { 'content-type': 'application/json' }
    const stream = { 'content-type': 'text/event-stream' }
    const apiError = (code: string) => JSON.stringify({ error: { code, message: 'No.' } })
    const progress = 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n'
    const malformed = { jsonrpc: '2.0', error: { code: -32700, message: 'No message' }, id: null }
    const responses: (readonly [(response: ServerResponse) => unknown, RegExp])[] = [
      [
        (response) => response.writeHead(401, json).end(apiError('invalid_api_key')),
        /^invalid_api_key: No\.$/,
      ],
      [
        (response) =>
          response.writeHead(429, { ...json, 'retry-after': '7' }).end(apiError('many')),
        /^many: No\. Call again in 7 s\.$/,
      ],
      [
        (response) => response.writeHead(502).end('<p>Bad gateway'),
        /^the response \(502\) is not from Mayfly\. Check MAYFLY_BASE_URL\.$/,
      ],
      [(response) => response.writeHead(400, json).end(JSON.stringify(malformed)), /^No message$/],
      [
        (response) => response.writeHead(200, stream).end(progress),
        /^Mayfly at \S+ cannot be reached: the connection ended before the response\. Start it/,
      ],
      [
        (response) => response.writeHead(200, stream).write(progress, () => response.destroy()),
        /^Mayfly at \S+ cannot be reached: UND_ERR_SOCKET\. Start it/,
      ],
      [
        (response) => response.destroy(),
        /^Mayfly at \S+ cannot be reached: UND_ERR_SOCKET\. Start it/,
      ],
    ]
    let next = 0
    await using server = createServer((_request, response) => responses[next++]?.[0](response))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    // A listener on a TCP port has such an address.
    const { port } = server.address() as AddressInfo
    const env = { MAYFLY_BASE_URL: `http://127.0.0.1:${port}`, MAYFLY_API_KEY: 'mf_live_1' }
    await using shell = await openShell({ env })
    const running = shell.start('mcp')
    running.input.write('{\n')
    // JSON may contain it; to node:readline it would end the line.
    const params = { cursor: '\u2028' }
    for (const [id, [, expected]] of responses.entries()) {
      running.input.write(`${JSON.stringify({ ...list, id, params })}\n`)
      const { error } = await until(async () => answers(running.out()).get(id) ?? null)
      assert.match(error.message, expected)
    }
    assert.equal(answers(running.out()).get(null).error.code, -32700)
    running.input.end()
    assert.equal((await running.outcome).code, 0)
  })
})
