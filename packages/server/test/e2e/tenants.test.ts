import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ApiClient } from '../testing-api-client.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { sharedService, type TestService } from '../testing-start-service.ts'

/** Bodies for routes that want one, so that the answer is about the record. */
const BODIES: Readonly<Record<string, unknown>> = {
  'POST /v1/inboxes/{id}/assert': { assertions: [{ type: 'otpPresent' }], timeoutSeconds: 0 },
  'POST /v1/scenarios/{id}/run': { inboxId: 'inb_x' },
  'PATCH /v1/inboxes/{id}/messages/{messageId}': { read: true },
}

/** What Alice has: the value of each path parameter, by the noun before it. */
async function aliceHas(service: TestService, alice: ApiClient): Promise<Map<string, string>> {
  const { inbox } = (await alice.post('/v1/inboxes')).body
  await service.sendMail({
    to: inbox.emailAddress,
    raw:
      'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhi\r\n' +
      '--b\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nx\r\n--b--\r\n',
  })
  const [message] = (await alice.get(`/v1/inboxes/${inbox.id}/messages`)).body.messages
  const whole = (await alice.get(`/v1/inboxes/${inbox.id}/messages/${message.id}`)).body
  const assertions = [{ type: 'otpPresent' }]
  const { scenario } = (await alice.post('/v1/scenarios', { name: 's', assertions })).body
  const { key } = (await alice.post('/v1/keys', { name: 'second' })).body
  const domain = await alice.post('/v1/domains', { domain: 'alice-owns.example' })
  assert.equal(domain.status, 201, domain.text)
  const { webhook } = (await alice.post('/v1/webhooks', { url: 'https://localhost/' })).body
  await service.sendMail({ to: inbox.emailAddress })
  const [delivery] = (await alice.get('/v1/webhooks/deliveries')).body.deliveries
  return new Map([
    ['webhooks', webhook.id],
    ['deliveries', delivery.id],
    ['inboxes', inbox.id],
    ['messages', message.id],
    ['attachments', whole.attachments[0].id],
    ['scenarios', scenario.id],
    ['keys', key.id],
    ['domains', 'alice-owns.example'],
  ])
}

/** A path with its parameters filled in; null when it has one that nothing is known of. */
function fill(path: string, values: ReadonlyMap<string, string>): string | null {
  const parts = path.split('/')
  const filled = parts.map((part, i) =>
    part.startsWith('{') ? (values.get(parts[i - 1] ?? '') ?? null) : part,
  )
  return filled.includes(null) ? null : filled.join('/')
}

onEachDatabase('accounts are kept apart', (create) => {
  const shared = sharedService(create)

  it("answers 404 to another account's ids on every route, as to unknown ones", async () => {
    const service = await shared()
    const alice = await service.register()
    const bob = await service.register()
    const hers = await aliceHas(service, alice)
    const unknown = new Map([...hers.keys()].map((noun) => [noun, 'unknown-thing.example']))
    const { paths } = (await service.anonymous.get('/openapi.json')).body
    let tried = 0
    for (const [path, operations] of Object.entries<Record<string, unknown>>(paths)) {
      const target = fill(path, hers)
      if (!path.includes('{') || target === null) continue
      for (const method of Object.keys(operations).map((name) => name.toUpperCase())) {
        const body = BODIES[`${method} ${path}`]
        const extras =
          body === undefined
            ? {}
            : {
                rawBody: JSON.stringify(body),
                headers: { 'content-type': 'application/json' },
              }
        const foreign = await bob.send(method, target, extras)
        const nothing = await bob.send(method, String(fill(path, unknown)), extras)
        assert.equal(foreign.status, 404, `${method} ${target}: ${foreign.text}`)
        assert.deepEqual(foreign.body, nothing.body, `${method} ${target}`)
        tried += 1
      }
    }
    assert.ok(tried >= 15, `only ${tried} routes were tried`)
    assert.equal((await alice.get(`/v1/inboxes/${hers.get('inboxes')}/messages`)).status, 200)
  })
})
