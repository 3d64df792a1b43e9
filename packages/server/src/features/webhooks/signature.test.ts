import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { SECRET_BYTES, type SignedEvent, signatureHeaders, webhookSecret } from './signature.ts'

function event(more: Partial<SignedEvent> = {}): SignedEvent {
  return {
    secret: webhookSecret(randomBytes(SECRET_BYTES)),
    event: 'message.received',
    eventId: 'evt_01jb2c',
    body: JSON.stringify({ id: 'evt_01jb2c', data: { subject: 'Grüße, 码 123456 \u{1f600}' } }),
    sentAt: new Date(),
    ...more,
  }
}

/** The hex digest by a program that is not ours, keyed as a shell line would key it. */
function opensslHmac(key: string, message: string): string {
  const args = ['dgst', '-sha256', '-hmac', key, '-r']
  return execFileSync('openssl', args, { input: message, encoding: 'utf8' }).split(' ')[0] ?? ''
}

describe('the headers of a delivery', () => {
  it('are all that the interface names, and all of Standard Webhooks', () => {
    const sentAt = new Date('2026-03-01T12:00:00.999Z')
    const headers = signatureHeaders(event({ sentAt }))
    const { 'x-service-signature': ours, 'webhook-signature': standard, ...rest } = headers
    assert.deepEqual(rest, {
      'x-service-event': 'message.received',
      'x-service-event-id': 'evt_01jb2c',
      'x-service-timestamp': '1772366400',
      'x-service-signature-version': 'v1',
      'webhook-id': 'evt_01jb2c',
      'webhook-timestamp': '1772366400',
    })
    assert.match(ours ?? '', /^[0-9a-f]{64}$/)
    assert.match(standard ?? '', /^v1,[A-Za-z0-9+/]{43}=$/)
  })

  it('are verified by openssl', () => {
    const signed = event()
    const headers = signatureHeaders(signed)
    const message = `${headers['x-service-timestamp']}.${signed.body}`
    assert.equal(headers['x-service-signature'], opensslHmac(signed.secret, message))
  })

  it('are verified by the library of Standard Webhooks', () => {
    const signed = event()
    const webhook = new Webhook(signed.secret)
    const headers = signatureHeaders(signed)
    assert.deepEqual(webhook.verify(String(signed.body), headers), JSON.parse(String(signed.body)))
  })

  it('are the same for text and for its bytes', () => {
    const signed = event()
    const bytes = Buffer.from(String(signed.body))
    assert.deepEqual(signatureHeaders({ ...signed, body: bytes }), signatureHeaders(signed))
  })

  it('do not verify what was changed', () => {
    const signed = event()
    const headers = signatureHeaders(signed)
    const { body, secret } = signed
    assert.throws(() => new Webhook(secret).verify(`${body} `, headers))
    assert.throws(() => new Webhook(webhookSecret(randomBytes(32))).verify(String(body), headers))
    assert.throws(() =>
      new Webhook(secret).verify(String(body), { ...headers, 'webhook-id': 'evt_2' }),
    )

    const changes: Partial<SignedEvent>[] = [
      { body: `${body} ` },
      { secret: webhookSecret(randomBytes(32)) },
      { sentAt: new Date(signed.sentAt.getTime() + 1_000) },
    ]
    for (const change of changes) {
      const changed = signatureHeaders({ ...signed, ...change })
      assert.notEqual(changed['x-service-signature'], headers['x-service-signature'])
      assert.notEqual(changed['webhook-signature'], headers['webhook-signature'])
    }
  })

  it('do not verify when they are old', () => {
    const signed = event({ sentAt: new Date(Date.now() - 6 * 60_000) })
    const verify = () =>
      new Webhook(signed.secret).verify(String(signed.body), signatureHeaders(signed))
    assert.throws(verify, /too old/)
  })
})

describe('a webhook secret', () => {
  it('is whsec_ and the base64 of its bytes', () => {
    assert.equal(webhookSecret(Buffer.alloc(SECRET_BYTES, 0xff)), `whsec_${'/'.repeat(42)}8=`)
  })
})
