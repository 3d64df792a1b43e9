// What every provider's API does, tried with its SDK.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ProviderName } from '@mayfly/contract'
import { sharedService } from '../testing-start-service.ts'
import { givenProject } from './testing-project.ts'

/** A mail as a test names it; each SDK has fields of its own for it. */
export type TestMail = {
  readonly from: { readonly email: string; readonly name: string }
  readonly to: readonly { readonly email: string; readonly name: string }[]
  readonly cc: readonly { readonly email: string; readonly name: string }[]
  readonly bcc: readonly { readonly email: string; readonly name: string }[]
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The first is `one.txt`, the second `logo.png`, inline where the API has that. */
  readonly base64: string
}

/** A provider's API with its SDK. */
export type Sdk = {
  readonly name: ProviderName
  /** Resolves to the id that the SDK shows; throws what it throws. */
  readonly send: (baseUrl: string, key: string, mail: TestMail) => Promise<string>
  readonly operation: string
  /** What the SDK shows of an error. */
  readonly errorOf: (error: unknown) => { readonly status: unknown; readonly body: unknown }
  readonly hasInline: boolean
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
  /** A status, or the code that an SDK shows in its place. */
  readonly unverifiedStatus: number | string
  /** Of a mail that has neither text nor HTML, and of one whose recipient has no address. */
  readonly empty: { readonly status: number | string; readonly text: RegExp }
  readonly noAddress: { readonly status: number | string; readonly text: RegExp }
  /** Of a wrong key. */
  readonly wrongKey: { readonly status: number | string; readonly text: RegExp }
  /** Of a fault with the status 429, which is 429 by default. */
  readonly limitedStatus?: string
  /** Whether a copy is a mail of its own, with the same headers. */
  readonly splitsCopies?: boolean
}

const BASE64 = Buffer.from('one').toString('base64')

const MAIL: TestMail = {
  from: { email: 'app@acme.example', name: 'Acme' },
  to: [{ email: 'ada@example.com', name: 'Ada' }],
  cc: [],
  bcc: [],
  subject: 'Your code',
  text: 'Your verification code is 481516.',
  html: '<p>Your verification code is <b>481516</b>.</p><img src="cid:logo.png">',
  base64: BASE64,
}

type Shared = ReturnType<typeof sharedService>

/** Tests what all APIs have in common; `more` are the tests of this one. */
export function describeProvider(sdk: Sdk, more: (shared: Shared, mail: TestMail) => void): void {
  describe(`the API of ${sdk.name}, with its SDK`, () => {
    const shared = sharedService()
    const given = () => givenSdk(shared, sdk)
    testSending(sdk, given)
    testRefusals(sdk, given)
    more(shared, MAIL)
  })
}

async function givenSdk(shared: Shared, sdk: Sdk) {
  const service = await shared()
  const { inbox, key, apiKey } = await givenProject(service)
  const send = (change: Partial<TestMail> = {}, own = key) =>
    sdk.send(`${service.httpUrl}/providers/${sdk.name}/`, own, { ...MAIL, ...change })
  const refused = async (sending: Promise<unknown>) => {
    const error = await sending.then(
      () => assert.fail('the call succeeded'),
      (thrown: unknown) => sdk.errorOf(thrown),
    )
    return { status: error.status, text: JSON.stringify(error.body) }
  }
  return { service, inbox, apiKey, send, refused }
}

type Given = () => ReturnType<typeof givenSdk>

function testSending(sdk: Sdk, given: Given): void {
  it('stores a mail that a wait finds, with its call', async () => {
    const { inbox, send } = await given()
    const id = await send(sdk.splitsCopies ? {} : { cc: [{ email: 'cc@example.com', name: '' }] })
    const { value, message } = await inbox.waitForOtp({
      q: 'to:ada@example.com',
      timeoutSeconds: 5,
    })
    assert.equal(value, '481516')
    assert.deepEqual(message.from, { name: 'Acme', address: 'app@acme.example' })
    assert.ok(message.recipients.includes('ada@example.com'))
    assert.ok(message.html?.includes('<b>481516</b>'))
    assert.deepEqual(
      message.attachments
        .map(({ filename, inline, sizeBytes }) => [filename, inline, sizeBytes])
        .toSorted((a, b) => String(b[0]).localeCompare(String(a[0]))),
      [
        ['one.txt', false, 3],
        ['logo.png', sdk.hasInline, 3],
      ],
    )
    assert.ok(message.provider)
    const { request, ...call } = message.provider
    assert.deepEqual(call, {
      ...{ name: sdk.name, operation: sdk.operation, id, scheduledAt: null },
      ...{ tags: sdk.tags, metadata: sdk.metadata },
    })
    assert.ok(!JSON.stringify(request).includes(BASE64))
    const { events } = await inbox.diagnose()
    assert.ok(events.some(({ stage }) => stage === 'provider.accepted'))
  })

  it('hides blind copies, which get it', async () => {
    const { inbox, send } = await given()
    await send({ bcc: [{ email: 'hidden@example.com', name: '' }] })
    const found = await inbox.waitForMessage({ q: 'to:hidden@example.com', timeoutSeconds: 5 })
    const raw = await inbox.readRaw(found.id)
    assert.doesNotMatch(Buffer.from(raw).toString('latin1'), /^(?:To|Cc|Bcc):.*hidden/im)
  })
}

function testRefusals(sdk: Sdk, given: Given): void {
  it('refuses a wrong key and a recipient without an inbox', async () => {
    const { service, inbox, apiKey, send, refused } = await given()
    const wrong = await refused(send({}, 'none'))
    assert.equal(wrong.status, sdk.wrongKey.status)
    assert.match(wrong.text, sdk.wrongKey.text)
    const own = await service.register()
    assert.equal((await refused(send({}, own.key))).status, sdk.unverifiedStatus)
    assert.equal((await inbox.refresh()).messageCount, 0)
    await send({}, apiKey)
  })

  it('refuses a mail without a body or an address, with its own errors, and records it', async () => {
    const { inbox, send, refused } = await given()
    for (const [change, expected] of [
      [{ text: '', html: '' }, sdk.empty],
      [{ to: [{ email: 'nobody', name: '' }] }, sdk.noAddress],
    ] as const) {
      const { status, text } = await refused(send(change))
      assert.equal(status, expected.status)
      assert.match(text, expected.text)
    }
    const { events } = await inbox.diagnose()
    const stages = events.filter(({ stage }) => stage === 'provider.refused')
    assert.equal(stages.length, 2)
  })

  it('answers with a fault rule once, in its own form, and then succeeds', async () => {
    const { inbox, send, refused } = await given()
    const fault = { phase: 'api', retryAfterSeconds: 7, text: 'Slow down', times: 1 } as const
    await inbox.setFaults([{ ...fault, status: 429 }])
    const limited = await refused(send())
    assert.equal(limited.status, sdk.limitedStatus ?? 429)
    assert.match(limited.text, /Slow down/)
    await send()
    await inbox.waitForMessage({ timeoutSeconds: 5 })
  })
}
