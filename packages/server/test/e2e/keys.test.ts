import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testClock } from '../testing-clock.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { first } from '../testing-first.ts'
import { sharedService, startService } from '../testing-start-service.ts'

onEachDatabase('keys', (create) => {
  const shared = sharedService(create)

  it('creates, lists and revokes a key, which stops working at once', async () => {
    const service = await shared()
    const admin = await service.register()
    const made = await admin.post('/v1/keys', { name: 'CI', environment: 'test' })
    assert.equal(made.status, 201)
    const { apiKey, key } = made.body
    assert.match(apiKey, /^mf_test_/)
    assert.equal(key.role, 'member')
    const member = admin.withKey(apiKey)
    await member.account.read()

    const listed = await member.get('/v1/keys')
    assert.deepEqual(
      listed.body.keys.map((key: { name: string }) => key.name),
      ['default', 'CI'],
    )
    assert.ok(!listed.text.includes(apiKey), 'a secret is never listed')

    const revoked = await admin.delete(`/v1/keys/${key.id}`)
    assert.deepEqual([revoked.status, revoked.text], [204, ''])
    await assert.rejects(member.account.read(), { status: 401, code: 'invalid_api_key' })
    await assert.rejects(admin.keys.revoke(key.id), { status: 404 })
  })

  it('lets only admins make and revoke keys', async () => {
    const service = await shared()
    const admin = await service.register()
    const issued = await admin.keys.create({ name: 'CI' })
    const member = admin.withKey(issued.apiKey)

    await assert.rejects(member.keys.create({ name: 'mine', role: 'admin' }), {
      status: 403,
      code: 'admin_required',
    })
    await assert.rejects(member.keys.revoke(issued.key.id), { status: 403 })
    // The body comes before the role.
    await assert.rejects(member.keys.create({ name: '' }), { status: 400 })
  })

  it('rotates the calling key, which keeps all but its secret', async () => {
    const service = await shared()
    const admin = await service.register()
    const { prefix: _old, lastUsedAt: _then, ...kept } = first(await admin.keys.list())

    const rotated = await admin.post('/v1/keys/rotate')
    assert.equal(rotated.status, 200)
    const { prefix, lastUsedAt: _now, ...now } = rotated.body.key
    assert.deepEqual(now, kept)
    assert.ok(rotated.body.apiKey.startsWith(prefix))
    await assert.rejects(admin.account.read(), { status: 401 })
    await admin.withKey(rotated.body.apiKey).account.read()
  })

  it('keeps the last admin key', async () => {
    const service = await shared()
    const one = await service.register()
    const { apiKey, key } = await one.keys.create({ name: 'second', role: 'admin' })
    const two = one.withKey(apiKey)
    const { id: oneId } = first(await one.keys.list())

    // Each revokes the other at once: one of them must stay.
    const answers = await Promise.all([
      one.delete(`/v1/keys/${key.id}`),
      two.delete(`/v1/keys/${oneId}`),
    ])
    const statuses = answers.map((answer) => answer.status).sort()
    assert.equal(statuses[0], 204)
    assert.ok([401, 409].includes(statuses[1] ?? 0), `the other got ${statuses[1]}`)
    const left = answers[0]?.status === 204 ? one : two
    const keys = await left.keys.list()
    assert.equal(keys.length, 1)
    await assert.rejects(left.keys.revoke(first(keys).id), { status: 409, code: 'last_admin_key' })
  })

  it("answers 404 to another account's key", async () => {
    const service = await shared()
    const alice = await service.register()
    const bob = await service.register()
    const { id } = first(await alice.keys.list())
    const foreign = await bob.delete(`/v1/keys/${id}`)
    const unknown = await bob.delete('/v1/keys/key_nothing')
    assert.equal(foreign.status, 404)
    assert.deepEqual(foreign.body, unknown.body)
  })

  it('writes when a key was last used', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31))
    const env = { MAYFLY_HTTP_PORT: '0' }
    const key = await (async () => {
      await using service = await startService({ database, env, clock })
      const dev = await service.register()
      await dev.keys.list()
      return dev.key
    })()
    clock.ms += 1000
    await using service = await startService({ database, env, clock })
    const [used] = await service.account(key).keys.list()
    assert.equal(used?.lastUsedAt, '2026-01-31T00:00:00.000Z')
  })
})
