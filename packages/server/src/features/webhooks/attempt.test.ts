import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId, EventId } from '@mayfly/contract'
import type { OutboundRequest, OutboundResult } from '../../platform/outbound/http-client.ts'
import { type AttemptOutcome, attemptDelivery } from './attempt.ts'

const EVENT = {
  id: 'evt_1' as EventId, // A brand by hand: the test needs a fixed id.
  accountId: 'acc_1' as AccountId, // Likewise.
  url: 'https://example.com/hook',
  payload: '{"a":"é"}',
  secretSealed: 'sealed',
}

/** The outcome of an attempt to which the outside does this, and what was asked of it. */
async function attempt(
  result: OutboundResult,
  openSecret: (sealed: string) => string = () => 'whsec_AAAA',
): Promise<{ outcome: AttemptOutcome; asked: readonly OutboundRequest[] }> {
  const asked: OutboundRequest[] = []
  const times = [1_000_500, 1_002_000]
  const deps = {
    clock: { now: () => times.shift() ?? 0 },
    secretBox: { open: openSecret },
    request: async (_owner: AccountId, request: OutboundRequest) => {
      asked.push(request)
      return result
    },
  }
  return { outcome: await attemptDelivery(deps, EVENT), asked }
}

function answered(status: number, headers: Record<string, string> = {}): OutboundResult {
  const body = Buffer.alloc(0)
  const answer = { status, headers, body, isTruncated: true, durationMs: 42 }
  return { state: 'responded', url: EVENT.url, ...answer }
}

describe('an attempt', () => {
  it('posts the stored bytes, signed for this moment, and follows no redirect', async () => {
    const { asked } = await attempt(answered(200))
    const [request] = asked
    assert.equal(asked.length, 1)
    assert.partialDeepStrictEqual(request, {
      method: 'POST',
      url: EVENT.url,
      body: EVENT.payload,
      timeoutMs: 10_000,
      redirectsMax: 0,
      bodyBytesMax: 0,
    })
    assert.equal(request?.headers['content-type'], 'application/json')
    assert.equal(request?.headers['x-service-timestamp'], '1000')
    assert.equal(request?.headers['x-service-event-id'], 'evt_1')
  })

  const STATUSES: readonly (readonly [
    status: number,
    error: string | null,
    detail: RegExp | null,
  ])[] = [
    [200, null, null],
    [299, null, null],
    [301, 'redirect', /301; redirects are not followed/],
    [304, 'redirect', /304/],
    [404, 'status', /404; only 2xx/],
    [410, 'gone', /410; nothing more/],
    [503, 'status', /503/],
  ]
  for (const [status, error, detail] of STATUSES) {
    it(`that is answered ${status} ${error === null ? 'succeeds' : `fails: ${error}`}`, async () => {
      const { outcome } = await attempt(answered(status, { 'retry-after': '7' }))
      const times = { at: 1_000_500, endedAt: 1_002_000, durationMs: 42 }
      if (detail === null) {
        assert.deepEqual(outcome, { state: 'delivered', status, ...times })
        return
      }
      assert.ok(outcome.state === 'rejected')
      const { detail: text, ...rest } = outcome
      const rejected = { state: 'rejected', status, error, retryAfter: '7' }
      assert.deepEqual(rest, { ...rejected, ...times })
      assert.match(text, detail)
    })
  }

  it('without an answer has the reason', async () => {
    for (const error of ['dns', 'connect', 'tls', 'timeout', 'reset', 'protocol'] as const) {
      const result = { state: 'failed', error, detail: 'Why.', durationMs: 3 } as const
      const { outcome } = await attempt(result)
      assert.partialDeepStrictEqual(outcome, { state: 'unanswered', error, detail: 'Why.' })
    }
  })

  it('to an address that is not allowed was not sent', async () => {
    const result = { state: 'refused', detail: 'No.', durationMs: 0 } as const
    const { outcome } = await attempt(result)
    assert.partialDeepStrictEqual(outcome, { state: 'unsent', error: 'refused', detail: 'No.' })
  })

  it('that a stop aborted has no result', async () => {
    const result = { state: 'failed', error: 'aborted', detail: '', durationMs: 3 } as const
    assert.deepEqual((await attempt(result)).outcome, { state: 'aborted' })
  })

  it('is not made with a secret that does not open', async () => {
    const { outcome, asked } = await attempt(answered(200), () => {
      throw new Error('another key')
    })
    assert.equal(asked.length, 0)
    assert.partialDeepStrictEqual(outcome, { state: 'unsent', error: 'secret' })
  })
})
