import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openOperator } from '../../src/assembly/operator.ts'
import { parseConfig } from '../../src/config/config.ts'
import { connectAgent } from '../testing-agent.ts'
import type { ApiClient } from '../testing-api-client.ts'
import { onEachDatabase, type TestDatabase } from '../testing-databases.ts'
import { startService, type TestService } from '../testing-start-service.ts'

type Held = {
  readonly admin: ApiClient
  readonly member: ApiClient
  readonly memberKeyId: string
  readonly database: TestDatabase
}

const ENDINGS: readonly (readonly [string, (held: Held) => Promise<unknown>])[] = [
  ['revoked', ({ admin, memberKeyId }) => admin.delete(`/v1/keys/${memberKeyId}`)],
  ['rotated', ({ member }) => member.post('/v1/keys/rotate')],
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
  const issued = (await admin.post('/v1/keys', { name: 'CI' })).body
  const member = admin.withKey(issued.apiKey)
  const { inbox } = (await admin.post('/v1/inboxes')).body
  const holding = holder.anonymous.withKey(issued.apiKey)

  const wait = holding.get(`/v1/inboxes/${inbox.id}/wait?timeoutSeconds=50`)
  const { url, headers } = holding.streamUrl(`/v1/inboxes/${inbox.id}/events`)
  const stream = await fetch(url, { headers })
  await using agent = await connectAgent(holder.httpUrl, holding)
  const { promise: begun, resolve: onprogress } = Promise.withResolvers<object>()
  const args = { inboxId: inbox.id, timeoutSeconds: 300 }
  const agentWait = agent.call('wait_for_message', args, { onprogress })
  // The wait and the stream were begun before.
  await begun

  await end({ admin, member, memberKeyId: issued.key.id, database })
  const refused = await wait
  assert.deepEqual([refused.status, refused.body.error.code], [401, 'invalid_api_key'])
  assert.match(await stream.text(), /^: open/)
  assert.match(String((await agentWait).texts[0]), /^invalid_api_key: /)
}
