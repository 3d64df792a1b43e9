import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { signIn } from '@mayfly/client/internal'
import { testClock } from '../testing-clock.ts'
import { sharedService, startService } from '../testing-start-service.ts'

/** The fragment of a sign-in link. */
const fragmentOf = (url: string) => new URL(url).hash.slice(1)

describe('sign-in links', () => {
  const shared = sharedService()

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
      dev.account.read(),
      service.account(signedIn.body.apiKey).account.read(),
    ])
    assert.equal(theirs.account.id, mine.account.id)

    const again = signIn({ baseUrl: service.httpUrl, token: String(token) })
    await assert.rejects(again, { status: 401, code: 'invalid_sign_in_token' })
  })

  it('take the whole fragment as the token, too, and refuse any other', async () => {
    const service = await shared()
    const dev = await service.register()
    const { url } = await dev.internal.createSignInLink()
    const baseUrl = service.httpUrl
    await assert.rejects(signIn({ baseUrl, token: 'x' }), { status: 401 })
    await signIn({ baseUrl, token: fragmentOf(url) })
  })

  it('are for admins', async () => {
    const service = await shared()
    const dev = await service.register()
    const { apiKey } = await dev.keys.create({ name: 'CI' })
    const refused = await dev.withKey(apiKey).post('/v1/sign-in-links')
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'admin_required'])
  })

  it('expire after 10 minutes', async () => {
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({ clock })
    const dev = await service.register()
    const { url, expiresAt } = await dev.internal.createSignInLink()
    assert.equal(expiresAt, '2026-01-31T00:10:00.000Z')
    clock.ms += 10 * 60_000
    const late = signIn({ baseUrl: service.httpUrl, token: fragmentOf(url) })
    await assert.rejects(late, { status: 401 })
  })

  it('begin sessions that end after a day or 30 days, and are listed apart', async () => {
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({ clock })
    const dev = await service.register()
    const enter = async (staySignedIn: boolean) => {
      const { url } = await dev.internal.createSignInLink()
      const request = { token: fragmentOf(url), staySignedIn }
      const { status, body } = await service.anonymous.post('/v1/sign-in', request)
      assert.equal(status, 201)
      return { page: service.account(body.apiKey), key: body.key }
    }
    const short = await enter(false)
    clock.ms += 1
    const long = await enter(true)
    assert.equal(short.key.expiresAt, '2026-02-01T00:00:00.000Z')
    assert.equal(long.key.expiresAt, '2026-03-02T00:00:00.001Z')
    const { keys, sessions } = await dev.internal.listKeys()
    assert.deepEqual(
      keys.map(({ name }) => name),
      ['default'],
    )
    assert.deepEqual(
      sessions.map(({ id }) => id),
      [short.key.id, long.key.id],
    )

    clock.ms += 24 * 60 * 60_000
    assert.equal((await short.page.get('/v1/account')).status, 401)
    assert.equal((await long.page.get('/v1/account')).status, 200)
    const waiting = long.page.get(`/v1/inboxes/${(await dev.inboxes.create()).id}/wait`)
    assert.equal((await long.page.send('DELETE', '/v1/sign-in')).status, 204)
    assert.equal((await waiting).body.error.code, 'invalid_api_key')
    assert.deepEqual((await dev.internal.listKeys()).sessions, [])
  })

  it('begin sessions whose length can be changed; a key is none', async () => {
    const service = await shared()
    const dev = await service.register()
    const { url } = await dev.internal.createSignInLink()
    const { apiKey } = await signIn({ baseUrl: service.httpUrl, token: fragmentOf(url) })
    const page = service.account(apiKey)
    await page.internal.changeSession({ staySignedIn: true })
    const [session] = (await page.internal.listKeys()).sessions
    assert.ok(Date.parse(String(session?.expiresAt)) > Date.now() + 29 * 24 * 60 * 60_000)
    const notFound = { status: 404, code: 'session_not_found' }
    await assert.rejects(dev.internal.changeSession({ staySignedIn: true }), notFound)
    await assert.rejects(dev.internal.signOut(), notFound)
    await assert.doesNotReject(dev.keys.revoke(String(session?.id)))
    assert.equal((await page.get('/v1/account')).status, 401)
  })

  it('leave no more than 20 sessions', async () => {
    const service = await shared()
    const dev = await service.register()
    for (let i = 0; i < 22; i++) {
      const { url } = await dev.internal.createSignInLink()
      await signIn({ baseUrl: service.httpUrl, token: fragmentOf(url) })
    }
    const { keys, sessions } = await dev.internal.listKeys()
    assert.equal(sessions.length, 20)
    assert.ok(keys.some(({ name }) => name === 'default'))
  })
})
