import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { mutate, randomFrom } from '../../../mail/test/testing-mutations.ts'
import { soakProgress, soakRounds } from '../../../mail/test/testing-soak.ts'
import { stuffedContent } from './content.ts'
import type { MessageEntry } from './interface.ts'
import { Pop3Protocol } from './machine.ts'

/** Dialogues in `npm test`; the long form has a million. */
const DIALOGUES = soakRounds({ short: 3_000, long: 1_000_000 })

const SEED = Number(process.env['FUZZ_SEED'] ?? 1)

const TOKENS = [
  ...['USER ', 'PASS ', 'STAT', 'LIST', 'RETR ', 'TOP ', 'DELE ', 'RSET', 'UIDL', 'QUIT', 'STLS'],
  ...['ada', 'ada-secret', ' ', '1', '2', '0', '-1', '99999999999'],
  ...['\r\n', '\r\n', '\n', '\r', '\0', '\xff', '.', '\r\n.\r\n'],
]

/** Lines of replies, and of what follows some of them. */
const REPLIES =
  /^(?:(?:\+OK|-ERR|\.|[12] |STLS|TOP|UIDL|USER|[A-Z]+-|PIPEL|IMPL|Subject|two)[ -~]*\r\n|\r\n)+$/

const MESSAGES = [
  { id: 'msg_a', sizeBytes: 120 },
  { id: 'msg_b', sizeBytes: 80 },
]

/** The replies to a dialogue, cut into chunks of so many bytes, with a mailbox behind it. */
function talk(dialogue: string, { bytes = 10_000, offersTls = true, errorsMax = 20 } = {}) {
  const protocol = new Pop3Protocol({ offersTls, errorsMax, lineBytesMax: 1000 })
  const deleted: string[] = []
  let output = ''
  const drive = () => {
    for (;;) {
      const step = protocol.advance()
      output += Buffer.concat(protocol.takeOutput()).toString('latin1')
      if (step.kind === 'credentials') {
        const { username, password } = step.credentials
        if (password === 'down') protocol.refused('unavailable')
        else if (password === `${username}-secret`) protocol.opened(MESSAGES)
        else protocol.refused('wrong')
      } else if (step.kind === 'content') {
        const raw = Buffer.from(`Subject: ${step.id}\r\n\r\n.one\r\ntwo\r\n`)
        protocol.content(stuffedContent(raw, step.bodyLines))
      } else if (step.kind === 'delete') {
        deleted.push(...step.ids)
        protocol.deleted(true)
      } else if (step.kind === 'secure') protocol.secured()
      else if (step.kind !== 'output_full') return step.kind
    }
  }
  let last = drive()
  const raw = Buffer.from(dialogue, 'latin1')
  for (let at = 0; at < raw.length; at += bytes) {
    protocol.push(raw.subarray(at, at + bytes))
    last = drive()
  }
  return { output, deleted, last }
}

const LOGIN = 'USER ada\r\nPASS ada-secret\r\n'

/** The machine after a login to these messages, without output. */
function loggedIn(messages: readonly MessageEntry[]): Pop3Protocol {
  const protocol = new Pop3Protocol({ offersTls: false, errorsMax: 20, lineBytesMax: 1000 })
  protocol.push(Buffer.from(LOGIN))
  protocol.advance()
  protocol.opened(messages)
  protocol.takeOutput()
  return protocol
}

/** The replies after the greeting and the login. */
function after(dialogue: string): string {
  return talk(LOGIN + dialogue).output.replace(
    '+OK Mayfly POP3 server ready\r\n+OK password, please\r\n+OK 2 messages\r\n',
    '',
  )
}

describe('the POP3 protocol', () => {
  const answers: readonly (readonly [string, string])[] = [
    ['STAT\r\n', '+OK 2 200\r\n'],
    ['stat\r\n', '+OK 2 200\r\n'],
    ['LIST\r\n', '+OK 2 messages\r\n1 120\r\n2 80\r\n.\r\n'],
    ['LIST 2\r\n', '+OK 2 80\r\n'],
    ['LIST 3\r\n', '-ERR no such message\r\n'],
    ['UIDL\r\n', '+OK 2 messages\r\n1 msg_a\r\n2 msg_b\r\n.\r\n'],
    ['UIDL 1\r\n', '+OK 1 msg_a\r\n'],
    ['RETR 1\r\n', '+OK message follows\r\nSubject: msg_a\r\n\r\n..one\r\ntwo\r\n.\r\n'],
    ['TOP 1 0\r\n', '+OK message follows\r\nSubject: msg_a\r\n\r\n.\r\n'],
    ['TOP 2 1\r\n', '+OK message follows\r\nSubject: msg_b\r\n\r\n..one\r\n.\r\n'],
    ['TOP 1\r\n', '-ERR TOP needs a message and a number of lines\r\n'],
    ['RETR 0\r\n', '-ERR no such message\r\n'],
    ['RETR -1\r\n', '-ERR no such message\r\n'],
    [
      'DELE 1\r\nSTAT\r\nLIST\r\nRETR 1\r\nDELE 1\r\n',
      '+OK marked\r\n+OK 1 80\r\n+OK 1 messages\r\n2 80\r\n.\r\n-ERR no such message\r\n-ERR no such message\r\n',
    ],
    ['DELE 1\r\nRSET\r\nSTAT\r\n', '+OK marked\r\n+OK 2 200\r\n+OK 2 200\r\n'],
    [
      'LIST\r\nUIDL\r\nDELE 2\r\nLIST\r\nUIDL\r\nRSET\r\nLIST\r\nUIDL\r\n',
      '+OK 2 messages\r\n1 120\r\n2 80\r\n.\r\n+OK 2 messages\r\n1 msg_a\r\n2 msg_b\r\n.\r\n' +
        '+OK marked\r\n+OK 1 messages\r\n1 120\r\n.\r\n+OK 1 messages\r\n1 msg_a\r\n.\r\n' +
        '+OK 2 200\r\n' +
        '+OK 2 messages\r\n1 120\r\n2 80\r\n.\r\n+OK 2 messages\r\n1 msg_a\r\n2 msg_b\r\n.\r\n',
    ],
    ['NOOP\r\n', '+OK\r\n'],
    ['USER ada\r\n', '-ERR unknown command\r\n'],
    ['STLS\r\n', '-ERR unknown command\r\n'],
    ['RETR 1\n', '-ERR lines must end with CRLF\r\n'],
    [`${'x'.repeat(1200)}\r\nNOOP\r\n`, '-ERR line too long\r\n+OK\r\n'],
  ]
  for (const [dialogue, expected] of answers) {
    it(`answers ${JSON.stringify(dialogue.slice(0, 50))}`, () => {
      assert.equal(after(dialogue), expected)
    })
  }

  it('lets nobody in without the right password', () => {
    for (const dialogue of [
      'STAT\r\n',
      'PASS ada-secret\r\n',
      'USER ada\r\nPASS wrong\r\nSTAT\r\n',
      'USER ada\r\nPASS down\r\nSTAT\r\n',
      'USER ada\r\nUSER bob\r\nPASS ada-secret\r\nSTAT\r\n',
      'USER ada\r\nSTLS\r\nPASS ada-secret\r\nSTAT\r\n',
    ]) {
      assert.doesNotMatch(talk(dialogue).output, /\+OK 2 /, dialogue)
    }
    assert.match(talk('USER ada\r\nPASS wrong\r\n').output, /-ERR \[AUTH\] /)
    assert.match(talk('USER ada\r\nPASS down\r\n').output, /-ERR \[SYS\/TEMP\] /)
  })

  it('deletes by QUIT alone', () => {
    const quit = talk(`${LOGIN}DELE 2\r\nQUIT\r\n`)
    assert.deepEqual([quit.deleted, quit.last], [['msg_b'], 'closed'])
    assert.deepEqual(talk(`${LOGIN}DELE 2\r\n`).deleted, [])
    assert.deepEqual(talk(`${LOGIN}DELE 2\r\nRSET\r\nQUIT\r\n`).deleted, [])
    const tooManyErrors = `${LOGIN}DELE 2\r\n${'X\r\n'.repeat(30)}QUIT\r\n`
    assert.deepEqual(talk(tooManyErrors).deleted, [])
  })

  it('offers STLS until TLS is there, and drops what was sent before it', () => {
    assert.match(talk('CAPA\r\n').output, /\r\nSTLS\r\n/)
    assert.doesNotMatch(talk('CAPA\r\n', { offersTls: false }).output, /STLS/)
    assert.match(talk('STLS\r\n', { offersTls: false }).output, /-ERR STLS is not offered/)
    const { output } = talk(`STLS\r\n${LOGIN}`)
    assert.equal(output, '+OK Mayfly POP3 server ready\r\n+OK begin TLS\r\n')
  })

  it('ends a session with too many errors, or with a line without end', () => {
    const { output, last } = talk('X\r\n'.repeat(30), { errorsMax: 3 })
    assert.equal(last, 'closed')
    assert.equal(output.match(/-ERR/g)?.length, 4)
    assert.equal(talk('x'.repeat(70_000)).last, 'closed')
  })

  it('gives the same result however the bytes are split', () => {
    const dialogue = `CAPA\r\n${LOGIN}LIST\r\nTOP 1 1\r\nRETR 2\r\nDELE 1\r\nUIDL\r\nbad\r\nQUIT\r\nSTAT\r\n`
    const whole = talk(dialogue)
    for (let bytes = 1; bytes <= 40; bytes += 1) {
      assert.deepEqual(talk(dialogue, { bytes }), whole)
    }
  })

  it('stops at 16 KiB of replies until they are taken', () => {
    const protocol = loggedIn(MESSAGES)
    protocol.push(Buffer.from('NOOP\r\n'.repeat(10_000)))
    const sizes: number[] = []
    while (protocol.advance().kind === 'output_full') {
      assert.equal(protocol.advance().kind, 'output_full')
      sizes.push(Buffer.concat(protocol.takeOutput()).length)
    }
    const lastBytes = Buffer.concat(protocol.takeOutput()).length
    assert.deepEqual(sizes, [16_385, 16_385, 16_385])
    assert.equal(lastBytes, 10_000 * '+OK\r\n'.length - 3 * 16_385)
  })

  it('looks at each message once for any number of LIST, UIDL and STAT', () => {
    let lookCount = 0
    const messages = Array.from({ length: 1_000 }, (_, i) => ({
      get id() {
        lookCount += 1
        return `msg_${i}`
      },
      get sizeBytes() {
        lookCount += 1
        return i
      },
    }))
    const protocol = loggedIn(messages)
    protocol.push(Buffer.from('STAT\r\nRSET\r\nLIST\r\nUIDL\r\n'.repeat(100)))
    while (protocol.advance().kind === 'output_full') protocol.takeOutput()
    // For STAT at login, for LIST, and for UIDL.
    assert.ok(lookCount <= 5 * messages.length, `${lookCount} looks`)
  })

  it(`answers ${DIALOGUES} changed dialogues in whole lines, however they are split`, () => {
    const random = randomFrom(SEED)
    const progress = soakProgress('changed POP3 dialogues', DIALOGUES)
    const samples = answers.map(([dialogue]) => Buffer.from(LOGIN + dialogue, 'latin1'))
    for (let index = 0; index < DIALOGUES; index++) {
      progress(index)
      const mutated = mutate({ random, samples, tokens: TOKENS, bytesMax: 16 * 1024 })
      const dialogue = mutated.toString('latin1')
      const bytes = 1 + Math.floor(random() * 64)
      try {
        // Without TLS: what is sent together with STLS is dropped, and what comes later is not.
        const whole = talk(dialogue, { offersTls: false })
        assert.match(whole.output, REPLIES)
        assert.deepEqual(talk(dialogue, { offersTls: false, bytes }), whole)
        assert.match(talk(dialogue, { bytes }).output, REPLIES)
      } catch (error) {
        const input = JSON.stringify({ dialogue, bytes })
        throw new Error(`dialogue ${index} of seed ${SEED}: ${input}`, { cause: error })
      }
    }
  })
})

describe('the lines of a message', () => {
  const lines = (raw: string, bodyLines: number | null = null) =>
    stuffedContent(Buffer.from(raw, 'latin1'), bodyLines).toString('latin1')

  it('end with a dot alone, and no other line is one', () => {
    assert.equal(lines('a: b\r\n\r\n.\r\n..x\r\nend'), 'a: b\r\n\r\n..\r\n...x\r\nend\r\n.\r\n')
    assert.equal(lines(''), '.\r\n')
    assert.equal(lines('.'), '..\r\n.\r\n')
    assert.equal(lines('\n.\n.\r\n'), '\r\n..\r\n..\r\n.\r\n')
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '.', '\r', '\n'), maxLength: 60 }),
        (raw) => {
          const text = lines(raw)
          assert.ok(text.endsWith('.\r\n'))
          const body = text.slice(0, -3)
          assert.doesNotMatch(body, /(?:^|\n)\.(?:\r?\n|$)/)
          assert.doesNotMatch(body, /(?<!\r)\n/)
          const unstuffed = body.replace(/(^|\n)\./g, '$1')
          const expected = raw.replace(/\r?\n/g, '\r\n')
          assert.equal(
            unstuffed,
            expected === '' || /\n$/.test(expected) ? expected : `${expected}\r\n`,
          )
        },
      ),
      { numRuns: 5_000 },
    )
  })

  it('can be cut after some lines of the body', () => {
    const raw = 'a: b\r\nc: d\r\n\r\none\r\n\r\nthree\r\n'
    assert.equal(lines(raw, 0), 'a: b\r\nc: d\r\n\r\n.\r\n')
    assert.equal(lines(raw, 2), 'a: b\r\nc: d\r\n\r\none\r\n\r\n.\r\n')
    assert.equal(lines(raw, 99), lines(raw))
  })
})
