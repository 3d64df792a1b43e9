import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEachDatabase } from '../testing-databases.ts'
import { sharedService, startService } from '../testing-start-service.ts'

onEachDatabase('keys', (create) => {
  const shared = sharedService(create)

  it('creates, lists and revokes a key, which stops working at once', async () => {
    const service = await shared()
    const admin = await service.register()
    const issued = await admin.post('/v1/keys', { name: 'CI', environment: 'test' })
    assert.equal(issued.status, 201)
    assert.match(issued.body.apiKey, /^mf_test_/)
    assert.equal(issued.body.key.role, 'member')
    const member = admin.withKey(issued.body.apiKey)
    assert.equal((await member.get('/v1/account')).status, 200)

    const listed = await member.get('/v1/keys')
    assert.deepEqual(
      listed.body.keys.map((key: { name: string }) => key.name),
      ['default', 'CI'],
    )
    assert.ok(!listed.text.includes(issued.body.apiKey), 'a secret is never listed')

    const revoked = await admin.delete(`/v1/keys/${issued.body.key.id}`)
    assert.deepEqual([revoked.status, revoked.text], [204, ''])
    const refused = await member.get('/v1/account')
    assert.deepEqual([refused.status, refused.body.error.code], [401, 'invalid_api_key'])
    assert.equal((await admin.delete(`/v1/keys/${issued.body.key.id}`)).status, 404)
  })

  it('lets only admins make and revoke keys', async () => {
    const service = await shared()
    const admin = await service.register()
    const issued = await admin.post('/v1/keys', { name: 'CI' })
    const member = admin.withKey(issued.body.apiKey)

    const made = await member.post('/v1/keys', { name: 'mine', role: 'admin' })
    assert.deepEqual([made.status, made.body.error.code], [403, 'admin_required'])
    const revoked = await member.delete(`/v1/keys/${issued.body.key.id}`)
    assert.equal(revoked.status, 403)
    // The body comes before the role.
    assert.equal((await member.post('/v1/keys', { name: '' })).status, 400)
  })

  it('rotates the calling key, which keeps all but its secret', async () => {
    const service = await shared()
    const admin = await service.register()
    const before = (await admin.get('/v1/keys')).body.keys[0]

    const rotated = await admin.post('/v1/keys/rotate')
    assert.equal(rotated.status, 200)
    const { prefix: _old, lastUsedAt: _then, ...kept } = before
    const { prefix, lastUsedAt: _now, ...now } = rotated.body.key
    assert.deepEqual(now, kept)
    assert.ok(rotated.body.apiKey.startsWith(prefix))
    assert.equal((await admin.get('/v1/account')).status, 401)
    assert.equal((await admin.withKey(rotated.body.apiKey).get('/v1/account')).status, 200)
  })

  it('keeps the last admin key', async () => {
    const service = await shared()
    const first = await service.register()
    const second = await first.post('/v1/keys', { name: 'second', role: 'admin' })
    const firstId = (await first.get('/v1/keys')).body.keys[0].id

    // Each revokes the other at once: one of them must stay.
    const answers = await Promise.all([
      first.delete(`/v1/keys/${second.body.key.id}`),
      first.withKey(second.body.apiKey).delete(`/v1/keys/${firstId}`),
    ])
    const statuses = answers.map((answer) => answer.status).sort()
    assert.equal(statuses[0], 204)
    assert.ok([401, 409].includes(statuses[1] ?? 0), `the other got ${statuses[1]}`)
    const left = answers[0]?.status === 204 ? first : first.withKey(second.body.apiKey)
    const { keys } = (await left.get('/v1/keys')).body
    assert.equal(keys.length, 1)
    const last = await left.delete(`/v1/keys/${keys[0].id}`)
    assert.deepEqual([last.status, last.body.error.code], [409, 'last_admin_key'])
  })

  it("answers 404 to another account's key", async () => {
    const service = await shared()
    const alice = await service.register()
    const bob = await service.register()
    const { keys } = (await alice.get('/v1/keys')).body
    const foreign = await bob.delete(`/v1/keys/${keys[0].id}`)
    const unknown = await bob.delete('/v1/keys/key_nothing')
    assert.equal(foreign.status, 404)
    assert.deepEqual(foreign.body, unknown.body)
  })

  it('writes when a key was last used', async () => {
    await using database = await create()
    let now = Date.UTC(2026, 0, 31)
    const env = { MAYFLY_HTTP_PORT: '0' }
    const key = await (async () => {
      await using service = await startService({ database, env, clock: { now: () => now } })
      const dev = await service.register()
      await dev.get('/v1/keys')
      return dev.key
    })()
    now += 1000
    await using service = await startService({ database, env, clock: { now: () => now } })
    const { body } = await service.anonymous.withKey(String(key)).get('/v1/keys')
    assert.equal(body.keys[0].lastUsedAt, '2026-01-31T00:00:00.000Z')
  })
})
