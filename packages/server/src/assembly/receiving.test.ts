import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { receivingOptions } from '../../test/testing-receiving-options.ts'
import { sendMails } from '../../test/testing-send-mail.ts'
import { type MailHandling, startReceiving } from './receiving.ts'

/** What a test sees of the handling of mails. */
type Seen = { opened: number; connected: number; stopped: number; readonly errors: string[] }

async function startTested(
  open: (seen: Seen) => Promise<void> = async () => {},
  opensAtOnce = false,
) {
  const seen: Seen = { opened: 0, connected: 0, stopped: 0, errors: [] }
  const receiving = await startReceiving(
    {
      open: async () => {
        seen.opened += 1
        await open(seen)
        return handlingOf(seen)
      },
      opensAtOnce,
      onConnection: () => {
        seen.connected += 1
      },
      onError: (error) => seen.errors.push(error instanceof Error ? error.message : String(error)),
    },
    receivingOptions(),
  )
  const send = async () => {
    const [answer] = await sendMails(receiving.port, [{ to: 'anna@mayfly.test' }])
    return [...(answer?.recipients ?? []), answer?.mail].map((reply) => reply?.slice(0, 3))
  }
  const stop = () => receiving.stop(0)
  return { seen, receiving, send, [Symbol.asyncDispose]: stop }
}

function handlingOf(seen: Seen): MailHandling {
  return {
    handler: {
      authenticate: async () => ({ state: 'refused' }),
      admitSender: () => ({ state: 'accepted' }),
      // Only its address is used here.
      admit: (address) => ({ state: 'accepted', recipient: { address } as never }),
      receive: async () => 'stored',
      rejected: () => {},
      handshakeFailed: () => {},
    },
    check: async () => {
      throw new Error('no storage')
    },
    stop: async () => {
      seen.stopped += 1
    },
  }
}

describe('receiving', { timeout: 20_000 }, () => {
  it('opens the handling of mails with the first connection', async () => {
    await using tested = await startTested()
    const { seen, receiving, send } = tested
    await receiving.check()
    assert.equal(seen.opened, 0)
    for (const _ of [1, 2]) assert.deepEqual(await send(), ['250', '250'])
    assert.deepEqual([seen.opened, seen.errors], [1, []])
    await assert.rejects(receiving.check(), /no storage/)
    await receiving.stop(0)
    assert.equal(seen.stopped, 1)
  })

  it('accepts no mail while it cannot be opened, and tries again', async () => {
    await using tested = await startTested(async ({ opened }) => {
      if (opened <= 2) throw new Error('no storage yet')
    })
    const { seen, send } = tested
    // Tried with the connection and with MAIL, which got 451; without it RCPT is out of sequence.
    assert.deepEqual(await send(), ['503', undefined])
    assert.deepEqual(await send(), ['250', '250'])
    assert.equal(seen.opened, 3)
    assert.deepEqual(new Set(seen.errors), new Set(['no storage yet']))
  })

  it('tells of a connection before the handling of mails is open', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    await using tested = await startTested(() => promise)
    const { seen, send } = tested
    const sending = send()
    while (seen.opened === 0) await new Promise(setImmediate)
    assert.equal(seen.connected, 1)
    resolve()
    assert.deepEqual(await sending, ['250', '250'])
  })

  it('opens nothing without a connection', async () => {
    const { seen, receiving } = await startTested()
    await receiving.stop(0)
    assert.deepEqual([seen.opened, seen.stopped], [0, 0])
  })

  it('opens it at once when told so, and does not start when that fails', async () => {
    const { seen, receiving } = await startTested(undefined, true)
    assert.equal(seen.opened, 1)
    await assert.rejects(receiving.check(), /no storage/)
    await receiving.stop(0)
    assert.equal(seen.stopped, 1)
    const failing = startTested(async () => {
      throw new Error('no storage yet')
    }, true)
    await assert.rejects(failing, /no storage yet/)
  })

  it('stops what is opened while it stops', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { seen, receiving, send } = await startTested(() => promise)
    const sending = assert.rejects(send(), /closed the connection/)
    while (seen.opened === 0) await new Promise(setImmediate)
    const stopped = receiving.stop(0)
    resolve()
    await Promise.all([stopped, sending])
    assert.equal(seen.stopped, 1)
  })
})
