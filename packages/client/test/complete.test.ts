import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { registerAccount } from '../src/index.ts'
import { createInternalClient, readService, signIn, signInWithoutKey } from '../src/internal.ts'
import { fakeMessage } from './testing-fake-inbox.ts'

/** Not for the client: where a browser comes back to. */
const LEFT_OUT = new Set(['GET /v1/account/connection/callback'])

/** Answers every call with something of every name, and notes the call. */
function recorder() {
  const calls = new Set<string>()
  const inbox = { id: '{id}', emailAddress: 'qa@mayfly.test', watermark: '0' }
  const body = {
    ...inbox,
    ...{ inbox, inboxes: [], keys: [], usage: [], domains: [], domain: {}, scenarios: [] },
    ...{ scenario: {}, webhooks: [], message: fakeMessage(), lines: [], arrivalSeconds: 0 },
  }
  const record: typeof fetch = async (input, init) => {
    const path = decodeURIComponent(new URL(String(input)).pathname)
    calls.add(`${init?.method} ${path}`)
    return Response.json(body)
  }
  return { calls, fetch: record }
}

describe('the client', () => {
  it('has a call for everything that the service does', async () => {
    const { calls, fetch } = recorder()
    const client = createInternalClient({
      apiKey: 'mf_test_key',
      baseUrl: 'http://mayfly.test',
      fetch,
    })
    const { account, keys, domains, inboxes, internal, scenarios, webhooks } = client
    await registerAccount({ email: 'a@b.example', baseUrl: 'http://mayfly.test', fetch })
    await readService({ baseUrl: 'http://mayfly.test', fetch })
    await signIn({ token: 'a', baseUrl: 'http://mayfly.test', fetch })
    await signInWithoutKey({ baseUrl: 'http://mayfly.test', fetch })
    await internal.changeSession({ staySignedIn: true })
    await Promise.all([internal.listKeys(), internal.signOut()])
    await Promise.all([internal.createSignInLink(), account.read(), account.usage()])
    await Promise.all([internal.connectAccount(), internal.disconnectAccount()])
    await Promise.all([
      keys.create({ name: 'CI' }),
      keys.list(),
      keys.rotate(),
      keys.revoke('{id}'),
    ])
    await Promise.all([domains.list(), domains.listCustom(), domains.register('{domain}')])
    await Promise.all([domains.verify('{domain}'), domains.delete('{domain}')])
    const inbox = await inboxes.create()
    await Promise.all([inboxes.list(), inboxes.get('{id}'), inbox.delete(), inbox.diagnose()])
    await Promise.all([inbox.waitForMessage(), inbox.check([]), inbox.listMessages()])
    await Promise.all([inbox.setFaults([]), inbox.readFaults(), inbox.deleteFaults()])
    await Promise.all([inbox.readMessage('{messageId}'), inbox.readRaw('{messageId}')])
    await Promise.all([inbox.readTranscript('{messageId}'), inbox.explainOtp('{messageId}')])
    await client.search('a')
    await inbox.checkHtml('{messageId}')
    await inbox.downloadAttachment('{messageId}', '{attachmentId}')
    await Promise.all([inbox.markRead('{messageId}'), inbox.deleteMessage('{messageId}')])
    await Promise.all([inbox.deleteMessages(), internal.messages('{id}').frame('{messageId}')])
    await Promise.all([scenarios.create({ name: 'a', assertions: [] }), scenarios.list()])
    await Promise.all([scenarios.run('{id}', inbox), scenarios.delete('{id}')])
    await Promise.all([webhooks.create('https://a.example'), webhooks.list()])
    await webhooks.test('{id}')
    const stop = new AbortController()
    await client.events({ signal: stop.signal, onOpen: () => stop.abort() }).next()
    await Promise.all([webhooks.delete('{id}'), webhooks.deliveries(), webhooks.replay('{id}')])

    const file = new URL('../../../docs/openapi.json', import.meta.url)
    const { paths } = JSON.parse(await readFile(file, 'utf8'))
    const served = Object.entries<object>(paths)
      .filter(([path]) => path.startsWith('/v1/'))
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      )
    assert.ok(served.length > 20)
    const missing = served.filter((call) => !calls.has(call) && !LEFT_OUT.has(call))
    assert.deepEqual(missing, [], 'the client lacks these')
  })
})
