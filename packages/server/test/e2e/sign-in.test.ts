import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEachDatabase } from '../testing-databases.ts'
import { sharedService, startService } from '../testing-start-service.ts'

/** The fragment of a sign-in link. */
const fragmentOf = (url: string) => new URL(url).hash.slice(1)

onEachDatabase('sign-in links', (create) => {
  const shared = sharedService(create)

  it('are exchanged once for a key of their account', async () => {
    const service = await shared()
    const dev = await service.register()
    const link = await dev.post('/v1/sign-in-links')
    assert.equal(link.status, 201)
    assert.ok(link.body.url.startsWith(`${service.httpUrl}/#token=`))
    assert.ok(Date.parse(link.body.expiresAt) > Date.now())

    const token = new URLSearchParams(fragmentOf(link.body.url)).get('token')
    const signedIn = await service.anonymous.post('/v1/sign-in', { token })
    assert.equal(signedIn.status, 201)
    assert.equal(signedIn.body.key.name, 'dashboard')
    const [mine, theirs] = await Promise.all([
      dev.get('/v1/account'),
      service.anonymous.withKey(signedIn.body.apiKey).get('/v1/account'),
    ])
    assert.equal(theirs.body.account.id, mine.body.account.id)

    const again = await service.anonymous.post('/v1/sign-in', { token })
    assert.deepEqual([again.status, again.body.error.code], [401, 'invalid_sign_in_token'])
  })

  it('take the whole fragment as the token, too, and refuse any other', async () => {
    const service = await shared()
    const dev = await service.register()
    const { url } = (await dev.post('/v1/sign-in-links')).body
    assert.equal((await service.anonymous.post('/v1/sign-in', { token: 'x' })).status, 401)
    const token = fragmentOf(url)
    assert.equal((await service.anonymous.post('/v1/sign-in', { token })).status, 201)
  })

  it('are for admins', async () => {
    const service = await shared()
    const dev = await service.register()
    const { apiKey } = (await dev.post('/v1/keys', { name: 'CI' })).body
    const refused = await dev.withKey(apiKey).post('/v1/sign-in-links')
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'admin_required'])
  })

  it('expire after 10 minutes', async () => {
    await using database = await create()
    let now = Date.UTC(2026, 0, 1)
    await using service = await startService({ database, clock: { now: () => now } })
    const dev = await service.register()
    const { url, expiresAt } = (await dev.post('/v1/sign-in-links')).body
    assert.equal(expiresAt, '2026-01-01T00:10:00.000Z')
    now += 10 * 60_000
    const late = await service.anonymous.post('/v1/sign-in', { token: fragmentOf(url) })
    assert.equal(late.status, 401)
  })

  it('leave no more than 20 keys of the dashboard', async () => {
    const service = await shared()
    const dev = await service.register()
    for (let i = 0; i < 22; i++) {
      const { url } = (await dev.post('/v1/sign-in-links')).body
      await service.anonymous.post('/v1/sign-in', { token: fragmentOf(url) })
    }
    const { keys } = (await dev.get('/v1/keys')).body
    assert.equal(keys.filter(({ name }: { name: string }) => name === 'dashboard').length, 20)
    assert.ok(keys.some(({ name }: { name: string }) => name === 'default'))
  })
})
