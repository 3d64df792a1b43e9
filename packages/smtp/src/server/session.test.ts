import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { codesOf, lines, PROTOCOL_OPTIONS } from '../../test/testing-protocol.ts'
import type { Transport } from '../listener/transport.ts'
import { REPLIES } from '../protocol/replies.ts'
import {
  type AdmitResult,
  type IncomingMail,
  type MailHandler,
  type ReceiveResult,
  type Recipient,
  type RejectedMail,
  safeHandler,
} from './handler.ts'
import { SMTP_LIMITS, type SmtpLimits } from './limits.ts'
import { Session } from './session.ts'

const HELLO = 'EHLO x'
const FROM = 'MAIL FROM:<a@example.com>'
const TO = 'RCPT TO:<b@mayfly.test>'
const MAIL = [FROM, TO, 'DATA', 'hello', '.']

/** Records what is written. With `isWritable` false it behaves as if the client did not read. */
class RecordingTransport implements Transport {
  written = ''
  writeCount = 0
  isReading = true
  isEnded = false
  isDestroyed = false
  isWritable = true
  beginTls: ((tlsProtocol: string) => void) | null = null

  write(text: string): boolean {
    this.written += text
    this.writeCount += 1
    return this.isWritable
  }
  pauseReading(): void {
    this.isReading = false
  }
  resumeReading(): void {
    this.isReading = true
  }
  secure(text: string, onSecured: (tlsProtocol: string) => void): void {
    this.written += text
    this.beginTls = onSecured
  }
  end(text: string): void {
    this.written += text
    this.isEnded = true
  }
  finish(text: string): void {
    this.end(text)
  }
  destroy(): void {
    this.isDestroyed = true
  }
  /** Reply codes since the last call. */
  takeReplies(): readonly string[] {
    const codes = codesOf(this.written)
    this.written = ''
    return codes
  }
}

type Given = {
  readonly handler?: Partial<MailHandler>
  readonly limits?: Partial<SmtpLimits>
  readonly isExempt?: boolean
  readonly inFlightBytes?: number
}

function givenSession({ handler, limits, isExempt = false, inFlightBytes = 0 }: Given = {}) {
  const transport = new RecordingTransport()
  const mails: IncomingMail<Recipient>[] = []
  const notices: RejectedMail<Recipient>[] = []
  const errors: unknown[] = []
  const clock = { nowMs: 0 }
  const inFlight = {
    bytes: inFlightBytes,
    addBytes: (change: number) => {
      inFlight.bytes += change
      return inFlight.bytes
    },
  }
  const whole: MailHandler = {
    admit: (address) => ({ state: 'accepted', recipient: { address } }),
    receive: async (mail) => {
      mails.push(mail)
      return 'stored'
    },
    rejected: (notice) => notices.push(notice),
    ...handler,
  }
  const onError = (error: unknown) => errors.push(error)
  const session = new Session(transport, {
    handler: safeHandler(whole, onError),
    protocol: {
      ...PROTOCOL_OPTIONS,
      offersAuth: whole.authenticate !== undefined,
      asksSender: whole.admitSender !== undefined,
    },
    limits: { ...SMTP_LIMITS, ...limits },
    remoteAddress: '192.0.2.1',
    isExempt,
    inFlight,
    now: () => clock.nowMs,
    onError,
  })
  session.start()
  const say = (...texts: readonly string[]) => session.onData(Buffer.from(lines(...texts)))
  const pass = (ms: number) => {
    clock.nowMs += ms
    session.tick(clock.nowMs)
  }
  return { session, transport, mails, notices, errors, inFlight, say, pass }
}

describe('a session hands over', () => {
  it('a mail with its envelope, and says 250 only then', async () => {
    const stored = Promise.withResolvers<ReceiveResult>()
    const { transport, say, session, mails } = givenSession({
      handler: {
        receive: (mail) => {
          mails.push(mail)
          return stored.promise
        },
      },
    })
    session.onData(Buffer.from(lines(HELLO, `${FROM} SIZE=7`, TO, 'DATA')))
    say('hello', '.', 'NOOP')
    assert.deepEqual(transport.takeReplies(), ['220', '250', '250 2.1.0', '250 2.1.5', '354'])

    stored.resolve('stored')
    await turn()
    assert.deepEqual(transport.takeReplies(), ['250 2.0.0', '250 2.0.0'])
    assert.equal(mails[0]?.raw.toString(), 'hello\r\n')
    assert.equal(mails[0]?.protocol, 'ESMTP')
    assert.deepEqual(mails[0]?.recipients, [{ address: 'b@mayfly.test' }])
    assert.deepEqual(mails[0]?.envelope, {
      mailFrom: 'a@example.com',
      remoteAddress: '192.0.2.1',
      helo: 'x',
      tls: null,
      smtpUtf8: false,
      declaredSizeBytes: 7,
      user: null,
    })
  })

  it('replies to commands sent ahead in one write', () => {
    const { transport, say } = givenSession()
    say(HELLO, FROM, TO, TO, TO, 'NOOP', 'DATA')
    assert.equal(transport.writeCount, 2)
  })

  it('recipients one after the other, and keeps the order of replies', async () => {
    const answers = new Map<string, PromiseWithResolvers<AdmitResult<Recipient>>>()
    const { transport, say } = givenSession({
      handler: {
        admit: (address) => {
          const answer = Promise.withResolvers<AdmitResult<Recipient>>()
          answers.set(address, answer)
          return answer.promise
        },
      },
    })
    say(HELLO, FROM, 'RCPT TO:<one@b.c>', 'RCPT TO:<two@b.c>', 'NOOP')
    assert.deepEqual(transport.takeReplies(), ['220', '250', '250 2.1.0'])
    assert.deepEqual([...answers.keys()], ['one@b.c'])

    answers.get('one@b.c')?.resolve({ state: 'refused', why: 'full' })
    await turn()
    assert.deepEqual(transport.takeReplies(), ['452 4.2.2'])
    assert.deepEqual([...answers.keys()], ['one@b.c', 'two@b.c'])

    answers.get('two@b.c')?.resolve({ state: 'accepted', recipient: { address: 'two@b.c' } })
    await turn()
    assert.deepEqual(transport.takeReplies(), ['250 2.1.5', '250 2.0.0'])
  })

  const results: readonly [result: ReceiveResult, code: string][] = [
    ['stored', '250 2.0.0'],
    ['inbox_full', '452 4.2.2'],
    ['storage_full', '452 4.3.1'],
    ['unavailable', '451 4.3.0'],
  ]
  for (const [result, code] of results) {
    it(`a mail, and tells ${result} as ${code}`, async () => {
      const { transport, say, notices } = givenSession({ handler: { receive: async () => result } })
      say(HELLO, ...MAIL)
      await turn()
      assert.equal(transport.takeReplies().at(-1), code)
      assert.deepEqual(notices, [])
    })
  }

  it('a mail, and tells its id when it is given one', async () => {
    const receive = async () => ({ storedAs: 'msg_1' })
    const { transport, say, notices } = givenSession({ handler: { receive } })
    say(HELLO, ...MAIL)
    await turn()
    assert.match(transport.written, /\r\n250 2\.0\.0 Ok: queued as msg_1\r\n$/)
    assert.deepEqual(notices, [])
  })

  const refusals: readonly [
    why: 'unknown' | 'full' | 'unavailable' | 'storage_full',
    code: string,
  ][] = [
    ['unknown', '550 5.1.1'],
    ['full', '452 4.2.2'],
    ['unavailable', '451 4.3.0'],
    ['storage_full', '452 4.3.1'],
  ]
  for (const [why, code] of refusals) {
    it(`a recipient, and tells ${why} as ${code}`, () => {
      const { transport, say } = givenSession({
        handler: { admit: () => ({ state: 'refused', why }) },
      })
      say(HELLO, FROM, TO)
      assert.equal(transport.takeReplies().at(-1), code)
    })
  }

  it('the protocol of TLS, after which all begins anew', async () => {
    const { transport, say, mails } = givenSession()
    say(HELLO, FROM, 'STARTTLS')
    transport.beginTls?.('TLSv1.3')
    say(...MAIL, HELLO, ...MAIL)
    await turn()
    assert.equal(mails.length, 1)
    assert.equal(mails[0]?.envelope.tls, 'TLSv1.3')
    assert.equal(mails[0]?.protocol, 'ESMTPS')
  })
})

describe('a handler that fails', () => {
  const broken = new Error('broken')
  const fails = () => {
    throw broken
  }
  const ways: readonly [name: string, handler: Partial<MailHandler>, code: string][] = [
    ['admit throws', { admit: fails }, '451 4.3.0'],
    ['admit rejects', { admit: async () => fails() }, '451 4.3.0'],
    ['receive throws', { receive: fails }, '451 4.3.0'],
    ['receive rejects', { receive: async () => fails() }, '451 4.3.0'],
  ]
  for (const [name, handler, code] of ways) {
    it(`${name}: the client gets ${code}, and continues`, async () => {
      const { transport, say, errors } = givenSession({ handler })
      say(HELLO, FROM, TO)
      await turn()
      say('DATA', '.')
      await turn()
      assert.ok(transport.takeReplies().includes(code))
      assert.deepEqual(errors, [broken])
      say('NOOP')
      assert.ok(transport.takeReplies().includes('250 2.0.0'))
    })
  }

  it('is notified when a mail was lost because it failed', async () => {
    const { say, notices } = givenSession({ handler: { receive: fails } })
    say(HELLO, ...MAIL)
    await turn()
    assert.partialDeepStrictEqual(notices, [
      { reason: 'handler_failed', reply: REPLIES.storageFailing },
    ])
    assert.equal(notices.length, 1)
  })

  it('does not answer: the client gets a 421, and a late answer changes nothing', async () => {
    const stored = Promise.withResolvers<ReceiveResult>()
    const { transport, say, pass, notices, inFlight } = givenSession({
      handler: { receive: () => stored.promise },
    })
    say(HELLO, ...MAIL)
    assert.equal(inFlight.bytes, 7)
    transport.takeReplies()
    pass(SMTP_LIMITS.handlerMs)
    assert.deepEqual(transport.takeReplies(), ['421 4.3.0'])
    assert.equal(transport.isEnded, true)
    assert.deepEqual(
      notices.map(({ reason }) => reason),
      ['handler_failed'],
    )

    stored.resolve('stored')
    await turn()
    assert.deepEqual(transport.takeReplies(), [])
    assert.equal(inFlight.bytes, 0)
  })
})

describe('a session with AUTH', () => {
  const authenticate: MailHandler['authenticate'] = async ({ username, password }, client) => {
    if (client.remoteAddress !== '192.0.2.1') throw new Error('not the address of the client')
    if (password === 'fails') throw new Error('no database')
    return { state: 'accepted', identity: `${username}:${password}` }
  }

  it('passes the identity on with each mail, until TLS begins anew', async () => {
    const { transport, session, mails, say } = givenSession({ handler: { authenticate } })
    say(HELLO, 'AUTH PLAIN AGEAYg==', ...MAIL)
    await turn()
    assert.deepEqual(mails.at(-1)?.envelope.user, { name: 'a', identity: 'a:b' })
    say('STARTTLS')
    transport.beginTls?.('TLSv1.3')
    say(HELLO, ...MAIL)
    await turn()
    assert.equal(mails.length, 2)
    assert.equal(mails.at(-1)?.envelope.user, null)
    session.abort()
  })

  it('refuses credentials with a reply of the handler', async () => {
    const reply = '535 Chaos authentication error'
    const handler: Partial<MailHandler> = { authenticate: async () => ({ state: 'fault', reply }) }
    const { transport, say } = givenSession({ handler })
    say(HELLO, 'AUTH PLAIN AGEAYg==')
    await turn()
    assert.match(transport.written, /\r\n535 Chaos authentication error\r\n$/)
  })

  it('says 454 when the handler fails', async () => {
    const { transport, errors, say } = givenSession({ handler: { authenticate } })
    // \0a\0fails
    say(HELLO, 'AUTH PLAIN AGEAZmFpbHM=')
    await turn()
    assert.deepEqual(transport.takeReplies(), ['220', '250', '454 4.7.0'])
    assert.match(String(errors[0]), /no database/)
  })
})

describe('a session that asks about senders', () => {
  it('holds commands back until the answer, and knows who has authenticated', async () => {
    const answers = [
      { state: 'refused', why: 'fault', reply: '421 4.7.0 Chaos' },
      { state: 'refused', why: 'storage_full' },
      { state: 'accepted' },
    ] as const
    const identities: unknown[] = []
    const { transport, mails, say } = givenSession({
      handler: {
        authenticate: async ({ username }) => ({ state: 'accepted', identity: username }),
        admitSender: async ({ user }) => answers[identities.push(user?.identity) - 1] ?? answers[2],
      },
    })
    say(HELLO, 'AUTH PLAIN AGEAYg==', FROM, FROM, ...MAIL)
    await turn()
    const [, , , ...replies] = transport.takeReplies()
    const stored = ['250 2.1.0', '250 2.1.5', '354', '250 2.0.0']
    assert.deepEqual(replies, ['421 4.7.0', '452 4.3.1', ...stored])
    assert.deepEqual([identities, mails.length], [['a', 'a', 'a'], 1])
  })

  it('says 451 when the handler fails', async () => {
    for (const admitSender of [
      () => Promise.reject(new Error('no database')),
      () => {
        throw new Error('no database')
      },
    ]) {
      const { transport, errors, say } = givenSession({ handler: { admitSender } })
      say(HELLO, FROM)
      await turn()
      assert.deepEqual(transport.takeReplies(), ['220', '250', '451 4.3.0'])
      assert.match(String(errors[0]), /no database/)
    }
  })
})

describe('a session bounds', () => {
  const unknown: Partial<MailHandler> = { admit: () => ({ state: 'refused', why: 'unknown' }) }

  it('guesses: slow from the third, over at the fifth', () => {
    const { transport, say, pass } = givenSession({ handler: unknown })
    say(HELLO, FROM, TO, TO, TO, TO, TO, 'NOOP')
    assert.deepEqual(transport.takeReplies(), ['220', '250', '250 2.1.0', '550 5.1.1', '550 5.1.1'])
    pass(4000)
    assert.deepEqual(transport.takeReplies(), [])
    pass(1000)
    assert.deepEqual(transport.takeReplies(), ['550 5.1.1'])
    pass(5000)
    assert.deepEqual(transport.takeReplies(), ['550 5.1.1', '421 4.7.0'])
    assert.equal(transport.isEnded, true)
  })

  it('mail to a full inbox: slow from the third, and never over', () => {
    const full: Partial<MailHandler> = { admit: () => ({ state: 'refused', why: 'full' }) }
    const { transport, say, pass } = givenSession({ handler: full })
    say(HELLO, FROM, ...Array<string>(7).fill(TO), 'NOOP')
    assert.deepEqual(transport.takeReplies().slice(3), ['452 4.2.2', '452 4.2.2'])
    for (let i = 0; i < 4; i++) {
      pass(5000)
      assert.deepEqual(transport.takeReplies(), ['452 4.2.2'])
    }
    pass(5000)
    assert.deepEqual(transport.takeReplies(), ['452 4.2.2', '250 2.0.0'])
  })

  it('guessed passwords: slow from the third, over at the fifth', async () => {
    const handler: Partial<MailHandler> = { authenticate: async () => ({ state: 'refused' }) }
    const { transport, say, pass } = givenSession({ handler })
    say(HELLO, ...Array<string>(5).fill('AUTH PLAIN AGEAYg=='), 'NOOP')
    await turn()
    assert.deepEqual(transport.takeReplies(), ['220', '250', '535 5.7.8', '535 5.7.8'])
    pass(4000)
    assert.deepEqual(transport.takeReplies(), [])
    pass(1000)
    await turn()
    assert.deepEqual(transport.takeReplies(), ['535 5.7.8'])
    pass(5000)
    await turn()
    assert.deepEqual(transport.takeReplies(), ['535 5.7.8', '421 4.7.0'])
    assert.equal(transport.isEnded, true)
  })

  it('guessed passwords of an exempt client by the number of errors', async () => {
    const handler: Partial<MailHandler> = { authenticate: async () => ({ state: 'refused' }) }
    const { transport, say } = givenSession({ handler, isExempt: true })
    say(HELLO, ...Array<string>(30).fill('AUTH PLAIN AGEAYg=='))
    await turn()
    assert.equal(transport.takeReplies().filter((code) => code === '535 5.7.8').length, 20)
    assert.equal(transport.isEnded, true)
  })

  it('no guesses of an exempt client', () => {
    const { transport, say } = givenSession({ handler: unknown, isExempt: true })
    say(HELLO, FROM, ...Array<string>(50).fill(TO), 'NOOP')
    assert.equal(transport.takeReplies().at(-1), '250 2.0.0')
  })

  it('what it writes to a client that does not read', () => {
    const { transport, session, say } = givenSession()
    transport.isWritable = false
    session.onData(Buffer.from(lines(...Array<string>(16_000).fill('NOOP'))))
    assert.ok(transport.written.length < 20_000)
    assert.equal(transport.isReading, true)
    say('NOOP')
    assert.equal(transport.isReading, false)

    transport.isWritable = true
    session.onDrain()
    assert.equal(transport.takeReplies().length, 16_002)
    assert.equal(transport.isReading, true)
  })

  it('the memory of all mails together', async () => {
    const { transport, session, mails, notices, inFlight } = givenSession({
      inFlightBytes: SMTP_LIMITS.inFlightBytesMax - 100,
    })
    const start = lines(HELLO, FROM, TO)
    session.onData(Buffer.from(`${start}DATA\r\n${'x'.repeat(90)}`))
    assert.equal(inFlight.bytes, SMTP_LIMITS.inFlightBytesMax - 10)
    session.onData(Buffer.from('x'.repeat(90)))
    assert.ok(inFlight.bytes <= SMTP_LIMITS.inFlightBytesMax - 90)
    session.onData(Buffer.from(`x\r\n.\r\n${start}BDAT 200 LAST\r\n${'x'.repeat(150)}`))
    const abandonedBytes = inFlight.bytes
    session.onData(Buffer.from('x'.repeat(49)))
    assert.equal(inFlight.bytes, abandonedBytes)
    session.onData(Buffer.from(`x${lines('NOOP')}`))
    await turn()
    const codes = transport.takeReplies()
    assert.deepEqual(codes.slice(4, 6), ['354', '452 4.3.1'])
    assert.deepEqual(codes.slice(-2), ['452 4.3.1', '250 2.0.0'])
    assert.deepEqual(mails, [])
    assert.deepEqual(
      notices.map(({ reason }) => reason),
      ['no_memory', 'no_memory'],
    )
    assert.equal(inFlight.bytes, SMTP_LIMITS.inFlightBytesMax - 100)
  })
})

describe('a mail on its way is noticed as lost', () => {
  const ways: readonly {
    readonly reason: string
    readonly code: string | null
    readonly happens: (given: ReturnType<typeof givenSession>) => void
  }[] = [
    { reason: 'connection_lost', code: null, happens: () => undefined },
    { reason: 'connection_lost', code: '421 4.4.2', happens: ({ session }) => session.onEnd() },
    { reason: 'timed_out', code: '421 4.4.2', happens: ({ pass }) => pass(SMTP_LIMITS.idleMs) },
    { reason: 'too_slow', code: '421 4.4.2', happens: ({ pass }) => pass(31_000) },
    {
      reason: 'too_large',
      code: '552 5.3.4',
      happens: ({ session }) => session.onData(Buffer.from(`${'x'.repeat(1001)}\r\n.\r\n`)),
    },
  ]
  for (const { reason, code, happens } of ways) {
    it(`${reason}, after ${code ?? 'no word'}`, () => {
      const given = givenSession()
      given.say(HELLO, FROM, TO, 'DATA', 'some')
      given.transport.takeReplies()
      happens(given)
      given.session.onClose(null)
      assert.deepEqual(given.transport.takeReplies(), code === null ? [] : [code])
      assert.deepEqual(
        given.notices.map((notice) => notice.reason),
        [reason],
      )
      assert.deepEqual(given.notices[0]?.recipients, [{ address: 'b@mayfly.test' }])
    })
  }

  it('between two chunks as well, but not before the first, nor after QUIT', () => {
    const between = givenSession()
    between.say(HELLO, FROM, TO, 'BDAT 2', '')
    between.session.onClose(null)
    assert.equal(between.notices.length, 1)

    for (const last of ['NOOP', 'QUIT']) {
      const before = givenSession()
      before.say(HELLO, FROM, TO, last)
      before.session.onClose(null)
      assert.equal(before.notices.length, 0)
    }
  })
})

describe('a session that is stopped', () => {
  it('says 421 at once when no mail is coming in', () => {
    const { transport, session, say } = givenSession()
    say(HELLO, FROM, TO)
    transport.takeReplies()
    session.stop()
    assert.deepEqual(transport.takeReplies(), ['421 4.3.2'])
    assert.equal(transport.isEnded, true)
  })

  it('finishes the mail that is coming in, and no other', async () => {
    const { transport, session, say, mails } = givenSession()
    say(HELLO, FROM, TO, 'DATA', 'hello')
    session.stop()
    say('.')
    await turn()
    assert.deepEqual(transport.takeReplies().slice(-2), ['250 2.0.0', '421 4.3.2'])
    assert.equal(mails.length, 1)
    assert.equal(transport.isEnded, true)
  })

  it('answers half-closed clients whole', async () => {
    const { transport, session, say, mails } = givenSession()
    say(HELLO, ...MAIL)
    session.onEnd()
    await turn()
    assert.deepEqual(transport.takeReplies().slice(-2), ['250 2.0.0', '221 2.0.0'])
    assert.equal(mails.length, 1)
  })
})
