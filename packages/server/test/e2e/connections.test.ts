import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ConnectOptions } from '@mayfly/client/internal'
import type { TestAccount } from '../testing-account.ts'
import { type TestClock, testClock } from '../testing-clock.ts'
import { onEachDatabase, type TestDatabase } from '../testing-databases.ts'
import {
  CLIENT,
  type IdentityServer,
  startGitHub,
  startOidcServer,
} from '../testing-identity-server.ts'
import { Person } from '../testing-person.ts'
import { sharedService, startService, type TestService } from '../testing-start-service.ts'

const CONNECTION = '/v1/account/connection'

async function startConnectable(
  provider: IdentityServer,
  options: { database?: TestDatabase; clock?: TestClock; env?: Record<string, string> } = {},
): Promise<TestService> {
  const service = await startService({
    ...options,
    env: {
      MAYFLY_DEFAULT_PLAN: 'key_only',
      MAYFLY_OIDC_ISSUER: provider.url,
      MAYFLY_OIDC_CLIENT_ID: CLIENT.id,
      MAYFLY_OIDC_CLIENT_SECRET: CLIENT.secret,
      MAYFLY_OIDC_NAME: 'Example ID',
      ...options.env,
    },
  })
  provider.register(`${service.httpUrl}${CONNECTION}/callback`)
  return service
}

async function begin(dev: TestAccount, options?: ConnectOptions): Promise<string> {
  return (await dev.internal.connectAccount(options)).authorizationUrl
}

const come = (service: TestService, callback: string) =>
  service.anonymous.get(callback.slice(service.httpUrl.length))

const accountOf = (dev: TestAccount) => dev.account.read()

onEachDatabase('external accounts that come at once', (create) => {
  it('are connected to one account each', async () => {
    await using database = await create()
    await using provider = await startOidcServer()
    await using service = await startConnectable(provider, { database })
    const accounts = [await service.register(), await service.register(), await service.register()]
    const callbacks = []
    for (const dev of accounts) callbacks.push(await new Person('kim').agree(await begin(dev)))
    const pages = await Promise.all(callbacks.map((callback) => come(service, callback)))
    assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 409, 409])
    const refused = pages.find(({ status }) => status === 409)
    assert.match(refused?.text ?? '', /Not connected/)
    const connected = await Promise.all(accounts.map(accountOf))
    assert.equal(connected.filter(({ account }) => account.connected).length, 1)
    assert.equal(connected.filter(({ account }) => account.plan === 'connected').length, 1)
  })
})

describe('external accounts', () => {
  const shared = sharedService()

  it('are connected by OpenID Connect, lift the limits, and are disconnected', async () => {
    await using provider = await startOidcServer()
    await using service = await startConnectable(provider)
    const dev = await service.register('dev@example.com')
    await assert.rejects(dev.internal.disconnectAccount(), { code: 'connection_not_found' })

    const begun = await dev.post(CONNECTION)
    assert.equal(begun.status, 200)
    const { authorizationUrl } = begun.body
    const { searchParams } = new URL(authorizationUrl)
    assert.equal(searchParams.get('code_challenge_method'), 'S256')
    assert.equal(searchParams.get('scope'), 'openid')
    for (const name of ['state', 'nonce', 'code_challenge']) {
      assert.ok((searchParams.get(name) ?? '').length >= 43, name)
    }
    const page = await come(service, await new Person('kim').agree(authorizationUrl))
    assert.equal(page.status, 200)
    assert.match(String(page.headers['content-type']), /^text\/html/)
    assert.match(page.text, /Example ID is now connected to the Mayfly account dev@example\.com/)
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
    assert.equal(page.headers['cache-control'], 'no-store')

    const { account, limits } = await accountOf(dev)
    assert.deepEqual([account.connected, account.plan], [true, 'connected'])
    assert.equal(limits.inboxesPerMonth, 20_000)
    await dev.inboxes.create({ domain: 'private.mayfly.test' })
    await assert.rejects(dev.internal.connectAccount(), { status: 409, code: 'identity_connected' })

    assert.equal((await dev.delete(CONNECTION)).status, 204)
    const after = await accountOf(dev)
    assert.deepEqual([after.account.connected, after.account.plan], [false, 'key_only'])
    await come(service, await new Person('kim').agree(await begin(dev)))
    assert.equal((await accountOf(dev)).account.connected, true, 'and may be connected again')
  })

  it('are connected by GitHub', async () => {
    await using provider = await startGitHub({ kim: 583_231 })
    await using service = await startConnectable(provider, {
      env: {
        MAYFLY_OIDC_ISSUER: '',
        MAYFLY_OIDC_CLIENT_ID: '',
        MAYFLY_GITHUB_URL: provider.url,
        MAYFLY_GITHUB_CLIENT_ID: CLIENT.id,
        MAYFLY_GITHUB_CLIENT_SECRET: CLIENT.secret,
      },
    })
    const dev = await service.register()
    const wrong = { status: 400, code: 'invalid_parameter' }
    await assert.rejects(dev.internal.connectAccount({ provider: 'oidc' }), wrong)

    const refused = await come(service, await new Person('mallory').agree(await begin(dev)))
    assert.equal(refused.status, 403)
    const page = await come(
      service,
      await new Person('kim').agree(await begin(dev, { provider: 'github' })),
    )
    assert.equal(page.status, 200, page.text)
    assert.match(page.text, /account at GitHub is now connected/)
    assert.equal((await accountOf(dev)).account.connected, true)
    const rival = await service.register()
    const second = await come(service, await new Person('kim').agree(await begin(rival)))
    assert.equal(second.status, 409)
  })

  it('refuse a callback that comes twice, late, or without an attempt', async () => {
    const clock = testClock(Date.now())
    await using provider = await startOidcServer()
    await using service = await startConnectable(provider, { clock })
    const dev = await service.register()
    const callback = await new Person('kim').agree(await begin(dev))
    const [first, second] = await Promise.all([come(service, callback), come(service, callback)])
    assert.deepEqual([first.status, second.status].sort(), [200, 400])
    assert.equal((await come(service, callback)).status, 400)
    await dev.internal.disconnectAccount()
    const replayed = await come(service, callback)
    assert.equal(replayed.status, 400)
    assert.match(replayed.text, /used already or is older than 10 minutes/)
    assert.equal((await accountOf(dev)).account.connected, false)

    for (const query of ['', '?state=', '?code=x', `?state=${'x'.repeat(43)}&code=x`]) {
      assert.equal(
        (await come(service, `${service.httpUrl}${CONNECTION}/callback${query}`)).status,
        400,
      )
    }
    const long = `${service.httpUrl}${CONNECTION}/callback?state=${'x'.repeat(300)}`
    assert.equal((await come(service, long)).status, 400)

    const late = await new Person('kim').agree(await begin(dev))
    clock.ms += 10 * 60 * 1000
    assert.equal((await come(service, late)).status, 400)
    assert.equal((await accountOf(dev)).account.connected, false)
  })

  it("refuse a code that was issued for another's attempt", async () => {
    await using provider = await startOidcServer()
    await using service = await startConnectable(provider)
    const victim = await service.register()
    const mallory = await service.register()
    const victims = new URL(await new Person('kim').agree(await begin(victim)))
    const mallorys = new URL(await new Person('mallory').agree(await begin(mallory)))
    // Mallory puts the victim's code into a callback of her own attempt.
    mallorys.searchParams.set('code', victims.searchParams.get('code') ?? '')
    const page = await come(service, mallorys.href)
    assert.equal(page.status, 403)
    assert.match(page.text, /did not confirm who you are/)
    for (const dev of [victim, mallory]) {
      assert.equal((await accountOf(dev)).account.connected, false)
    }
    // The same with an answer that claims to be from another provider.
    const mixed = new URL(await new Person('kim').agree(await begin(mallory)))
    mixed.searchParams.set('iss', 'https://evil.example')
    assert.equal((await come(service, mixed.href)).status, 403)
  })

  it('are connected in a browser only after the person has seen for which account', async () => {
    await using provider = await startOidcServer()
    await using service = await startConnectable(provider)
    const mallory = await service.register('mallory@example.com')
    // Mallory sends Kim the address of her own attempt.
    const callback = await new Person('kim').agree(await begin(mallory))
    const open = (search: string, cookie = '') =>
      service.anonymous.get(`${CONNECTION}/callback${search}`, {
        headers: { 'sec-fetch-mode': 'navigate', cookie },
      })
    const { search } = new URL(callback)
    const question = await open(search)
    assert.equal(question.status, 200, question.text)
    assert.match(question.text, /connected to the Mayfly account mallory@example\.com/)
    assert.equal((await accountOf(mallory)).account.connected, false)
    // Neither a made-up confirmation nor the cookie alone counts.
    const [cookie = ''] = String(question.headers['set-cookie']).split(';')
    const forged = await open(`${search}&mayfly_connection=x`, 'mayfly_connection=y')
    assert.match(forged.text, /Connect these accounts\?/)
    assert.match((await open(search, cookie)).text, /Connect these accounts\?/)
    assert.match((await open(search, 'mayfly_connection=undefined')).text, /Connect these/)
    assert.equal((await accountOf(mallory)).account.connected, false)

    const connected = await open(`${search}&${cookie}`, cookie)
    assert.match(connected.text, /is now connected/)
    assert.equal((await accountOf(mallory)).account.connected, true)
    assert.equal((await open(search)).status, 400)
  })

  it('are not connected when the person declines', async () => {
    await using provider = await startOidcServer()
    await using service = await startConnectable(provider)
    const dev = await service.register()
    const state = new URL(await begin(dev)).searchParams.get('state')
    const query = new URLSearchParams({
      state: String(state),
      error: 'access_denied',
      error_description: '<script>alert(1)</script>',
      iss: provider.url,
    })
    const page = await come(service, `${service.httpUrl}${CONNECTION}/callback?${query}`)
    assert.equal(page.status, 403)
    assert.ok(!page.text.includes('<script>'), page.text)
    assert.equal((await accountOf(dev)).account.connected, false)
  })

  it('say when the provider is out of reach', async () => {
    await using provider = await startOidcServer()
    await using service = await startConnectable(provider)
    const dev = await service.register()
    const callback = await new Person('kim').agree(await begin(dev))
    await provider.stop()
    const page = await come(service, callback)
    assert.equal(page.status, 503, page.text)
    assert.equal(page.headers['retry-after'], '10')

    await using gone = await startService({
      env: { MAYFLY_OIDC_ISSUER: 'http://127.0.0.1:9', MAYFLY_OIDC_CLIENT_ID: 'x' },
    })
    const refused = (await gone.register()).internal.connectAccount()
    await assert.rejects(refused, { status: 503, code: 'identity_provider_unavailable' })
  })

  it('are for admins, and only where the operator set them up', async () => {
    const service = await shared()
    const admin = await service.register()
    await assert.rejects(admin.internal.connectAccount(), {
      status: 404,
      code: 'connection_not_configured',
    })
    const issued = await admin.keys.create({ name: 'CI' })
    const member = admin.withKey(issued.apiKey)
    await assert.rejects(member.internal.connectAccount(), { status: 403 })
    await assert.rejects(member.internal.disconnectAccount(), { status: 403 })
    assert.equal((await member.post(CONNECTION, { provider: 'x' })).status, 400)
    assert.equal((await service.anonymous.post(CONNECTION)).status, 401)
  })
})
