import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openOperator } from '../../src/assembly/operator.ts'
import { parseConfig } from '../../src/config/config.ts'
import type { TestAccount } from '../testing-account.ts'
import { connectAgent } from '../testing-agent.ts'
import { onEachDatabase, type TestDatabase } from '../testing-databases.ts'
import { startService, type TestService } from '../testing-start-service.ts'
import { startTcpServer } from '../testing-tcp-server.ts'
import { until } from '../testing-until.ts'

type Held = {
  readonly admin: TestAccount
  readonly member: TestAccount
  readonly memberKeyId: string
  readonly database: TestDatabase
}

const ENDINGS: readonly (readonly [string, (held: Held) => Promise<unknown>])[] = [
  ['revoked', ({ admin, memberKeyId }) => admin.keys.revoke(memberKeyId)],
  ['rotated', ({ member }) => member.keys.rotate()],
  [
    'suspended with its account',
    async ({ database }) => {
      await using operator = await openOperator(parseConfig({ MAYFLY_DATABASE_URL: database.url }))
      await operator.suspend('held@example.com', 'abuse')
    },
  ],
]

onEachDatabase('a key', (create, name) => {
  for (const [how, end] of ENDINGS) {
    it(`that is ${how} ends its waits, streams and agents' waits`, async () => {
      await using database = await create()
      await using service = await startService({ database })
      await assertEnded(service, service, { database, end })
    })
  }

  it('that is revoked ends its link checks', async () => {
    await using database = await create()
    await using site = await startTcpServer()
    const env = { MAYFLY_ALLOW_PRIVATE_NETWORK: 'true' }
    await using service = await startService({ database, env })
    const admin = await service.register()
    const { apiKey, key } = await admin.keys.create({ name: 'CI' })
    const inbox = await admin.withKey(apiKey).inboxes.create()
    const text = `http://127.0.0.1:${site.port}/`
    await service.sendMail({ to: inbox.emailAddress, text })
    const checking = inbox.check([{ type: 'linkResponds' }], { timeoutSeconds: 50 })
    const ended = assert.rejects(checking, { status: 401, code: 'invalid_api_key' })
    await until(async () => site.connections() || null)
    const startedAt = performance.now()
    await admin.keys.revoke(key.id)
    await ended
    // A link gets 10 s.
    assert.ok(performance.now() - startedAt < 5_000)
  })

  if (name === 'PostgreSQL') {
    it('that is revoked on one node ends what another holds', async () => {
      await using database = await create()
      await using one = await startService({ database })
      await using two = await startService({ database })
      for (const [, end] of ENDINGS.slice(0, 1)) await assertEnded(one, two, { database, end })
    })
  }
})

async function assertEnded(
  node: TestService,
  holder: TestService,
  { database, end }: { database: TestDatabase; end: (held: Held) => Promise<unknown> },
): Promise<void> {
  const admin = await node.register('held@example.com')
  const issued = await admin.keys.create({ name: 'CI' })
  const member = admin.withKey(issued.apiKey)
  const inbox = await admin.inboxes.create()
  const holding = holder.account(issued.apiKey)

  const held = await holding.inboxes.get(inbox.id)
  const ended = assert.rejects(held.waitForMessage({ timeoutSeconds: 50 }), {
    status: 401,
    code: 'invalid_api_key',
  })
  const { url, headers } = holding.streamUrl(`/v1/events?inbox=${inbox.id}`)
  const stream = await fetch(url, { headers })
  await using agent = await connectAgent(holder.httpUrl, holding)
  const { promise: begun, resolve: onprogress } = Promise.withResolvers<object>()
  const args = { inboxId: inbox.id, timeoutSeconds: 300 }
  const agentWait = agent.call('wait_for_message', args, { onprogress })
  // The wait and the stream were begun before.
  await begun

  await end({ admin, member, memberKeyId: issued.key.id, database })
  await ended
  assert.match(await stream.text(), /^: open/)
  assert.match(String((await agentWait).texts[0]), /^invalid_api_key: /)
}
