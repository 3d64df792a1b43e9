// The same dialogues with smtp-server as reference; every difference is listed with its reason.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { SMTPServer } from 'smtp-server'
import type { ProtocolOptions } from '../src/protocol/interface.ts'
import { makeSelfSignedCertificate } from '../src/server/self-signed.ts'
import { CONTENT_DIALOGUES, ERROR_DIALOGUES } from './testing-dialogue-errors.ts'
import { type DialogueCase, MAIL_DIALOGUES, SECURITY_DIALOGUES } from './testing-dialogues.ts'
import { codesOf, converse, PROTOCOL_OPTIONS } from './testing-protocol.ts'
import { TestClient } from './testing-server.ts'

/** What the client sees and what the server keeps. */
type Outcome = { readonly codes: string; readonly mails: readonly string[] }

/** What the other server does instead, and why ours does not. */
type Difference = { readonly why: string } & Partial<Outcome>

const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'two mails, and a reset between them': {
    why: 'it drops a recipient named twice; our handler does, as only it knows which are one inbox',
    mails: [mail(['b@mayfly.test'], 'one\r\n'), mail(['b@mayfly.test'], 'two\r\n')],
  },
  'a bounce to postmaster': {
    why: 'it keeps the capitals of a word that has no meaning but one',
    mails: [JSON.stringify(['', ['PostMaster'], ''])],
  },
  'stuffed dots, also on the first and the last line': {
    why: 'it takes away only one of two dots; RFC 5321 4.5.2 takes any dot that starts a line',
    mails: [mail(['b@mayfly.test'], '.\r\n..\r\n.a\r\na..\r\n. b\r\n\r\n.\r\n')],
  },
  'dots after a lone LF or CR are no line starts': {
    why: 'it sees a line start behind a lone LF, and changes what was sent',
    mails: [mail(['b@mayfly.test'], 'a\n.\n.b\r..\r.c\r\n')],
  },
  'STARTTLS where it is not offered': {
    why: 'we know the command, and say 502',
    codes: '220 250 500 221',
  },
  'AUTH where it is not offered': {
    why: 'we know the command, and refuse a parameter that was not offered',
    codes: '220 250 500 250 221',
  },
  'AUTH too early, or of a kind not known': {
    why: 'it offers AUTH after HELO, which has no extensions',
    codes: '220 503 250 334 501 504 504 501 221',
  },
  'AUTH that is broken off, is no base64, or is too long': {
    why: 'it decodes what is no base64, and closes on a long line',
    codes: '220 250 334 501 334 334 235 503 220 250 334 421',
  },
  'AUTH in the middle of a mail': {
    why: 'RFC 4954 4 forbids it during a mail',
    codes: '220 250 250 235 250 221',
  },
  'small commands': {
    why: 'we know EXPN, and say 502',
    codes: '220 250 250 252 501 500 214 214 250 500 500 221',
  },
  'arguments where none belong, and none where one belongs': {
    why: 'it takes names of up to 300 bytes, and ignores arguments of RSET, QUIT and DATA',
    codes: '220 501 501 501 250 250 221',
  },
  'bad senders': {
    why: 'RFC 6531 asks for SMTPUTF8 with such an address',
    codes: '220 250 501 501 501 501 501 501 501 501 250 221',
  },
  'bad recipients': {
    why: 'it offers DSN, and asks for no SMTPUTF8',
    codes: '220 250 250 501 501 501 501 501 250 250 354 250 221',
    mails: [mail(['a@b.c', 'é@b.c'], 'QUIT\r\n')],
  },
  'bad parameters of MAIL': {
    why: 'it skips a parameter without a name, and the mail begins there; it offers DSN',
    codes: '220 250 501 501 501 501 501 501 250 503 503 250 250 221',
  },
  'all recipients refused, DATA sent ahead': {
    why: 'RFC 5321 allows 503 or 554; 554 tells why',
    codes: '220 250 250 550 452 503 250 221',
  },
  'one recipient too many': {
    why: 'it has no bound on recipients',
    codes: '220 250 250 250 250 250 250 354 250 221',
    mails: [mail(['b@mayfly.test'], 'x\r\n')],
  },
  'lines as long as allowed, and one byte longer': {
    why: 'it counts without CRLF, and closes on a longer line instead of skipping it',
    codes: '220 250 250 421',
  },
  'lines that end wrongly, or hold what no line may': {
    why: 'it ends lines at a lone LF, and lets control characters and broken UTF-8 through',
    codes: '220 250 250 500 500 250 250 500 221',
  },
  'one error too many': {
    why: 'it allows ten, and only unknown commands count',
    codes: '220 500 500 500 500 250 221',
  },
  'too large to be read to its end': {
    why: 'it reads on without end',
    codes: '220 250 250 250 354 552 250 221',
  },
}

// It has no CHUNKING, and takes the bytes of a chunk for commands.
const DIALOGUES = [
  ...MAIL_DIALOGUES,
  ...SECURITY_DIALOGUES,
  ...ERROR_DIALOGUES,
  ...CONTENT_DIALOGUES,
].filter(({ flights }) => !/^BDAT/im.test(flights.join('')))

/** QUIT, also where one of the two still waits for the end of a mail. */
const ENDING = 'QUIT\r\n.\r\nQUIT\r\n'

const tls = makeSelfSignedCertificate(['mx.mayfly.test'], new Date())

describe('smtp-server agrees, or the difference is explained', {
  concurrency: 8,
  timeout: 30_000,
}, () => {
  for (const dialogue of DIALOGUES) {
    const { why = 'agreed', ...difference } = DIFFERENCES[dialogue.name] ?? {}
    it(`${dialogue.name}: ${why}`, async () => {
      const ours = outcomeOfOurs(dialogue)
      const theirs = await outcomeOfTheirs(dialogue)
      for (const [aspect, value] of Object.entries(difference)) {
        assert.notDeepEqual(value, ours[aspect === 'codes' ? 'codes' : 'mails'], `${aspect} agree`)
      }
      assert.deepEqual(theirs, { ...ours, ...difference })
    })
  }

  it('no difference is listed for a dialogue that is not there', () => {
    const names = DIALOGUES.map(({ name }) => name)
    assert.deepEqual(
      Object.keys(DIFFERENCES).filter((name) => !names.includes(name)),
      [],
    )
  })
})

function outcomeOfOurs({ flights, options }: DialogueCase): Outcome {
  const quitting = flights.with(-1, `${flights.at(-1)}${ENDING}`)
  const { output, mails } = converse(quitting, options)
  return {
    codes: basicCodes(codesOf(output).filter((code) => code !== '<TLS>')),
    mails: mails.map(({ from, to, raw }) => JSON.stringify([from, to, raw])),
  }
}

/** Enhanced codes are a matter of taste; these are not. */
function basicCodes(codes: readonly string[]): string {
  return codes.map((code) => code.slice(0, 3)).join(' ')
}

async function outcomeOfTheirs({ flights, options }: DialogueCase): Promise<Outcome> {
  const mails: string[] = []
  const server = await reference({ ...PROTOCOL_OPTIONS, ...options }, mails)
  // A server that listens on a port has an AddressInfo.
  const { port } = server.server.address() as AddressInfo
  const client = new TestClient(connect({ port, host: '127.0.0.1' }))
  const codes = [await client.reply()]
  for (const [index, flight] of flights.entries()) {
    client.send(flight)
    if (index === flights.length - 1) break
    do codes.push(await client.reply())
    while (!codes.at(-1)?.startsWith('220'))
    await client.secure()
  }
  client.send(ENDING)
  codes.push(...(await client.lastReplies()))
  await new Promise<void>((resolve) => server.close(resolve))
  return { codes: basicCodes(codes), mails }
}

async function reference(options: ProtocolOptions, mails: string[]): Promise<SMTPServer> {
  const server = new SMTPServer({
    ...tls,
    size: options.messageBytesMax,
    rejectOversized: true,
    disableReverseLookup: true,
    authOptional: true,
    allowInsecureAuth: true,
    maxCommandLength: options.lineBytesMax,
    disabledCommands: [
      ...(options.offersAuth ? [] : ['AUTH']),
      ...(options.offersTls ? [] : ['STARTTLS']),
    ],
    onAuth: ({ password }, _session, callback) => {
      if (password === 'wrong') callback(refusal(535))
      else callback(null, { user: 'anybody' })
    },
    onRcptTo: ({ address }, _session, callback) => {
      if (address.startsWith('unknown')) callback(refusal(550))
      else if (address.startsWith('full')) callback(refusal(452))
      else callback()
    },
    onData: (stream, { envelope }, callback) => {
      buffer(stream).then(
        (raw) => {
          if (stream.sizeExceeded) return callback(refusal(552))
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
          const to = envelope.rcptTo.map(({ address }) => address)
          mails.push(JSON.stringify([from, to, raw.toString('latin1')]))
          callback()
        },
        // The client left in the middle: there is nobody to tell.
        () => undefined,
      )
    },
  })
  server.on('error', () => undefined)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

function refusal(responseCode: number): Error {
  return Object.assign(new Error('refused'), { responseCode })
}

function mail(to: readonly string[], raw: string): string {
  return JSON.stringify(['a@example.com', to, raw])
}
