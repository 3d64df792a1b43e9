import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { verifyWebhook, WebhookVerificationError } from '../src/index.ts'

const SECRET = 'whsec_c2VjcmV0'
const NOW = new Date('2026-01-31T09:30:00.000Z')
const BODY = JSON.stringify({ id: 'evt_1', type: 'message.received', data: { otp: null, é: '✓' } })

/** Signs with Node's own HMAC, as the interface describes it. */
function sign(body: string | Uint8Array, { secret = SECRET, at = NOW } = {}) {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  return {
    'X-Service-Event': 'message.received',
    'X-Service-Event-Id': 'evt_1',
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature-Version': 'v1',
    'X-Service-Signature': signature,
  }
}

async function failure(
  headers: Record<string, string>,
  body: string | Uint8Array = BODY,
): Promise<WebhookVerificationError['reason'] | null> {
  try {
    await verifyWebhook(headers, body, { secret: SECRET, now: NOW })
    return null
  } catch (error) {
    assert.ok(error instanceof WebhookVerificationError)
    return error.reason
  }
}

describe('a webhook delivery', () => {
  it('is verified whatever form its headers and body have', async () => {
    const signed = sign(BODY)
    const lowered = Object.fromEntries(
      Object.entries(signed).map(([name, value]) => [name.toLowerCase(), [value]]),
    )
    const bytes = new TextEncoder().encode(BODY)
    for (const headers of [signed, lowered, new Headers(signed)]) {
      for (const body of [BODY, bytes, bytes.buffer, Buffer.from(BODY)]) {
        const event = await verifyWebhook(headers, body, { secret: SECRET, now: NOW })
        assert.equal(event.id, 'evt_1')
      }
    }
  })

  it('takes the secret alone, and then the time of day', async () => {
    const event = await verifyWebhook(sign(BODY, { at: new Date() }), BODY, SECRET)
    assert.equal(event.type, 'message.received')
    const old = verifyWebhook(sign(BODY), BODY, SECRET)
    await assert.rejects(old, { reason: 'timestamp_out_of_tolerance' })
  })

  it('is refused with the reason', async () => {
    const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
    const { 'X-Service-Signature': _, ...unsigned } = sign(BODY)
    const cases: readonly [
      WebhookVerificationError['reason'] | null,
      Record<string, string>,
      string?,
    ][] = [
      [null, sign(BODY, { at: at(-300) })],
      [null, sign(BODY, { at: at(300) })],
      ['timestamp_out_of_tolerance', sign(BODY, { at: at(-301) })],
      ['timestamp_out_of_tolerance', sign(BODY, { at: at(301) })],
      ['missing_header', unsigned],
      ['unsupported_version', { ...sign(BODY), 'X-Service-Signature-Version': 'v2' }],
      ['signature_mismatch', sign(BODY, { secret: 'whsec_other' })],
      ['signature_mismatch', sign(BODY), `${BODY} `],
      ['signature_mismatch', { ...sign(BODY), 'X-Service-Timestamp': '1' }],
      ['signature_mismatch', { ...sign(BODY), 'X-Service-Timestamp': 'soon' }],
      ['signature_mismatch', { ...sign(BODY), 'X-Service-Signature': 'zz' }],
      ['signature_mismatch', { ...sign(BODY), 'X-Service-Signature': 'abc' }],
      ['invalid_payload', sign('no json'), 'no json'],
    ]
    for (const [reason, headers, body] of cases) {
      assert.equal(await failure(headers, body), reason, `${reason} ${JSON.stringify(headers)}`)
    }
  })

  it('that was parsed before is told so', async () => {
    // A caller without types may pass anything.
    const parsed = JSON.parse(BODY) as string
    await assert.rejects(verifyWebhook(sign(BODY), parsed, SECRET), /needs the raw body/)
  })

  it('is refused when any byte of it is changed', async () => {
    const original = Buffer.from(BODY)
    const headers = sign(BODY)
    await fc.assert(
      fc.asyncProperty(
        fc.nat(original.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (index, flip) => {
          const changed = Buffer.from(original)
          changed.writeUInt8((changed[index] ?? 0) ^ flip, index)
          assert.equal(await failure(headers, changed), 'signature_mismatch')
        },
      ),
      { numRuns: 100 },
    )
  })
})
