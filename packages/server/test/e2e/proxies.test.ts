import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { type Client, createClient, registerAccount } from '@mayfly/client'
import { onEachDatabase } from '../testing-databases.ts'
import {
  hasNginx,
  type ProxyAddresses,
  type RunningProxy,
  startHaproxy,
  startNginx,
} from '../testing-proxy.ts'
import { startServerProcess } from '../testing-server-process.ts'
import { until } from '../testing-until.ts'

const WAITS = 9

const PROXIES = { HAProxy: startHaproxy, ...(hasNginx ? { nginx: startNginx } : {}) }

/** Sends a mail from this address of the machine. */
async function sendMail(
  proxy: RunningProxy,
  { from, to }: { readonly from: string; readonly to: string },
) {
  const { hostname: host } = new URL(proxy.httpUrl)
  const socket = connect({ host, port: proxy.smtpPort, localAddress: from })
  const replies = createInterface({ input: socket })[Symbol.asyncIterator]()
  const say = async (text: string) => {
    socket.write(`${text}\r\n`)
    return (await replies.next()).value ?? ''
  }
  try {
    await once(socket, 'connect')
    assert.match((await replies.next()).value ?? '', /^220 /)
    await say('HELO x')
    for (const command of ['MAIL FROM:<a@example.com>', `RCPT TO:<${to}>`]) {
      assert.match(await say(command), /^250 /)
    }
    await say('DATA')
    assert.match(await say('Subject: Code\r\n\r\nYour code is 481516.\r\n.'), /^250 /)
  } finally {
    socket.destroy()
  }
}

/** Counts the events of the account by their types until `resources` are disposed of. */
function followEvents(client: Client, resources: AsyncDisposableStack): Map<string, number> {
  const seen = new Map<string, number>()
  const stopped = new AbortController()
  const count = (type: string) => seen.set(type, (seen.get(type) ?? 0) + 1)
  const options = { signal: stopped.signal, onOpen: () => count('open') }
  const following = (async () => {
    for await (const { type } of client.events(options)) count(type)
  })().catch(() => undefined)
  resources.defer(async () => {
    stopped.abort()
    await following
  })
  return seen
}

onEachDatabase('three nodes behind a proxy', (create, database) => {
  if (database !== 'PostgreSQL') return
  let suite = 0

  for (const [name, start] of Object.entries(PROXIES)) {
    it(`lose no wait and no mail when one is killed and one is stopped: ${name}`, {
      timeout: 120_000,
    }, async () => {
      suite += 1
      // Other than those of other runs on this machine.
      const network = `127.${100 + suite}.${process.pid % 256}`
      const addresses: ProxyAddresses = {
        proxy: `${network}.10`,
        nodes: [`${network}.11`, `${network}.12`, `${network}.13`],
      }
      await using store = await create()
      await using resources = new AsyncDisposableStack()
      const proxy = resources.use(await start(addresses))
      const nodes = addresses.nodes.map((host) =>
        resources.use(
          startServerProcess({
            MAYFLY_DATABASE_URL: store.url,
            MAYFLY_BASE_URL: proxy.httpUrl,
            MAYFLY_HTTP_HOST: host,
            MAYFLY_HTTP_PORT: '8025',
            MAYFLY_SMTP_HOST: host,
            MAYFLY_SMTP_PORT: '1025',
            MAYFLY_SMTP_PROXY_PROTOCOL: 'true',
            MAYFLY_TRUSTED_PROXIES: '127.0.0.1',
            MAYFLY_DEFAULT_PLAN: 'unlimited',
            MAYFLY_DNS_SERVERS: '127.0.0.1:9',
          }),
        ),
      )
      const [killed, stopped] = nodes
      assert.ok(killed !== undefined && stopped !== undefined)
      for (const { ready } of nodes) await ready
      await until(async () => {
        const response = await fetch(`${proxy.httpUrl}/readyz`).catch(() => null)
        return response?.ok === true ? response : null
      })

      const { apiKey } = await registerAccount({ baseUrl: proxy.httpUrl, email: 'a@example.com' })
      const client = createClient({ baseUrl: proxy.httpUrl, apiKey })
      const inbox = await client.inboxes.create()
      const seen = followEvents(client, resources)
      await until(async () => seen.get('open') ?? null)
      // The least busy node gets the next one, so each node holds three.
      const waits = Array.from({ length: WAITS }, () => inbox.waitForOtp({ timeoutSeconds: 40 }))
      await until(async () => ((seen.get('wait.started') ?? 0) >= WAITS ? seen : null))

      killed.child.kill('SIGKILL')
      await killed.ended
      stopped.child.kill('SIGTERM')
      assert.equal(await stopped.ended, 0)
      // Until the proxy's next check it still connects clients to the nodes that are gone.
      const mail = { from: `${network}.77`, to: inbox.emailAddress }
      await until(() =>
        sendMail(proxy, mail).then(
          () => true,
          () => null,
        ),
      )

      for (const { value } of await Promise.all(waits)) assert.equal(value, '481516')
      const { envelope } = await inbox.waitForMessage()
      assert.equal(envelope.remoteAddress, `${network}.77`)
      assert.equal((await inbox.listMessages()).messages.length, 1)
      // A stream that the killed node had says that it missed something.
      await until(async () => seen.get('message.received') ?? seen.get('reset') ?? null)
    })
  }
})
