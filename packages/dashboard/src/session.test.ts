import './testing-browser.ts'
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { enterKey, listenForLinks, session, signOut, startSession } from './session.ts'
import { dismissToast, toasts } from './state/toasts.ts'
import { settled, untilTrue } from './testing-page.ts'
import { Refusal, TestService } from './testing-service.ts'

const state = () => {
  const { value } = session
  return value.state === 'signed-out' ? value.reason : value.state
}
const storedKeys = () => [sessionStorage, localStorage].map((place) => place.getItem('mayfly.key'))

describe('a session', () => {
  afterEach(() => {
    signOut()
    for (const { id } of toasts.value) dismissToast(id)
  })

  it('does not begin with what cannot be a key, nor is that stored', () => {
    enterKey('mf_live_…', { remember: false })
    assert.match(String(state()), /is not an API key/)
    assert.deepEqual(storedKeys(), [null, null])
  })

  it('keeps a key beyond the tab on request alone', () => {
    enterKey('mf_live_a', { remember: false })
    assert.deepEqual(storedKeys(), ['mf_live_a', null])
    enterKey('mf_live_b', { remember: true })
    assert.deepEqual(storedKeys(), [null, 'mf_live_b'])
    signOut()
    assert.deepEqual(storedKeys(), [null, null])
  })

  it('ends with a sentence when the service refuses its key', async (t) => {
    const service = new TestService()
    service.when(/^GET \/v1\/inboxes$/, () => new Refusal(401, 'invalid_api_key'))
    t.mock.method(globalThis, 'fetch', service.fetch)
    enterKey('mf_live_mistyped', { remember: true })
    assert.ok(session.value.state === 'signed-in')
    await assert.rejects(session.value.client.inboxes.list(), { status: 401 })
    assert.match(String(state()), /^The service does not accept this key: it is mistyped/)
    assert.deepEqual(storedKeys(), [null, null])
  })

  it('stays when a sign-in link is opened that was used before', async (t) => {
    const service = new TestService()
    service.when(/^POST \/v1\/sign-in$/, () => new Refusal(401, 'invalid_sign_in_token'))
    t.mock.method(globalThis, 'fetch', service.fetch)
    enterKey('mf_live_a', { remember: false })
    location.hash = '#token=used'
    await startSession()
    assert.equal(state(), 'signed-in')
    assert.match(String(toasts.value[0]?.text), /^This sign-in link was used before/)
    assert.equal(location.hash, '#/', 'the token is not left in the history')
  })

  it('does not begin with a sign-in link that was used before', async (t) => {
    const service = new TestService()
    service.when(/^POST \/v1\/sign-in$/, () => new Refusal(401, 'invalid_sign_in_token'))
    t.mock.method(globalThis, 'fetch', service.fetch)
    location.hash = '#token=used'
    await startSession()
    assert.match(String(state()), /^This sign-in link was used before/)
  })

  it('begins with a sign-in link that is opened in a tab of the dashboard', async (t) => {
    const service = new TestService()
    service.when(/^POST \/v1\/sign-in$/, () => ({ apiKey: 'mf_live_new' }))
    t.mock.method(globalThis, 'fetch', service.fetch)
    const listeners: (() => void)[] = []
    t.mock.method(globalThis, 'addEventListener', (_type: string, listener: () => void) =>
      listeners.push(listener),
    )
    listenForLinks()
    location.hash = '#token=new'
    for (const listener of listeners) listener()
    await untilTrue(() => state() === 'signed-in')
    await settled()
    assert.deepEqual(storedKeys(), ['mf_live_new', null])
  })
})
