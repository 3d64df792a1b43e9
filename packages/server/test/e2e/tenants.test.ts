import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { TestAccount } from '../testing-account.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { first } from '../testing-first.ts'
import { sharedService, type TestService } from '../testing-start-service.ts'

/** Bodies for routes that want one, so that the answer is about the record. */
const BODIES: Readonly<Record<string, unknown>> = {
  'POST /v1/inboxes/{id}/assert': { assertions: [{ type: 'otpPresent' }], timeoutSeconds: 0 },
  'POST /v1/scenarios/{id}/run': { inboxId: 'inb_x' },
  'PATCH /v1/inboxes/{id}/messages/{messageId}': { read: true },
  'PUT /v1/inboxes/{id}/faults': { rules: [] },
}

/** What Alice has: the value of each path parameter, by the noun before it. */
async function aliceHas(service: TestService, alice: TestAccount): Promise<Map<string, string>> {
  const inbox = await alice.inboxes.create()
  await service.sendMail({
    to: inbox.emailAddress,
    raw:
      'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhi\r\n' +
      '--b\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nx\r\n--b--\r\n',
  })
  const message = first((await inbox.listMessages()).messages)
  const whole = await inbox.readMessage(message.id)
  const assertions = [{ type: 'otpPresent' }] as const
  const scenario = await alice.scenarios.create({ name: 's', assertions })
  const { key } = await alice.keys.create({ name: 'second' })
  await alice.domains.register('alice-owns.example')
  const { webhook } = await alice.webhooks.create('https://localhost/')
  await service.sendMail({ to: inbox.emailAddress })
  const delivery = first((await alice.webhooks.deliveries()).deliveries)
  return new Map([
    ['webhooks', webhook.id],
    ['deliveries', delivery.id],
    ['inboxes', inbox.id],
    ['messages', message.id],
    ['attachments', first(whole.attachments).id],
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
    await (await alice.inboxes.get(String(hers.get('inboxes')))).listMessages()
  })

  it('answers each of many calls that arrive together for its own account', async () => {
    const service = await shared()
    const emails = Array.from({ length: 6 }, (_, i) => `together${i}@example.com`)
    const accounts = await Promise.all(emails.map((email) => service.register(email)))
    const nobody = service.account('mf_live_nobody_has_this_key_000000000000000000000')
    for (let round = 0; round < 5; round++) {
      const refused = assert.rejects(nobody.account.read(), { status: 401 })
      const answers = await Promise.all(
        [...accounts, ...accounts].map(async ({ account }) => (await account.read()).account.email),
      )
      assert.deepEqual(answers, [...emails, ...emails])
      await refused
    }
  })
})
