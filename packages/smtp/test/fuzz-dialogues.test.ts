import assert from 'node:assert/strict'
import { it } from 'node:test'
import { mutate, pick, randomFrom } from '../../mail/test/testing-mutations.ts'
import { soakProgress, soakRounds } from '../../mail/test/testing-soak.ts'
import { CONTENT_DIALOGUES, ERROR_DIALOGUES } from './testing-dialogue-errors.ts'
import { MAIL_DIALOGUES, SECURITY_DIALOGUES } from './testing-dialogues.ts'
import { converse } from './testing-protocol.ts'

/** Dialogues in `npm test`; the long form has a million. */
const DIALOGUES = soakRounds({ short: 5_000, long: 1_000_000 })

const SEED = Number(process.env['FUZZ_SEED'] ?? 1)

const SAMPLES = [...MAIL_DIALOGUES, ...SECURITY_DIALOGUES, ...ERROR_DIALOGUES, ...CONTENT_DIALOGUES]
  .flatMap(({ flights }) => flights)
  .map((flight) => Buffer.from(flight, 'latin1'))
  .filter((flight) => flight.length <= 4_096)

const TOKENS = [
  ...[
    '\r\n',
    '\r\n',
    '\n',
    '\r',
    '\0',
    ' ',
    '\t',
    '\xff',
    '.',
    '..',
    '\r\n.\r\n',
    '\n.\n',
    '\r.\r',
  ],
  ...['EHLO x\r\n', 'HELO x\r\n', 'MAIL FROM:<a@b.example>\r\n', 'RCPT TO:<b@mayfly.test>\r\n'],
  ...[
    'MAIL FROM:<refused@b.example>\r\n',
    'RCPT TO:<unknown@mayfly.test>\r\n',
    'DATA\r\n',
    'BDAT 3\r\nabc',
    'BDAT 2 LAST\r\nab',
    'BDAT ',
  ],
  ...['RSET\r\n', 'NOOP\r\n', 'QUIT\r\n', 'STARTTLS\r\n', 'AUTH PLAIN ', 'AUTH LOGIN\r\n', '*\r\n'],
  ...['SIZE=', 'BODY=8BITMIME', 'SMTPUTF8', '<>', '<', '>', '@', ':', '=', '"', '\\', '4294967296'],
]

it(`answers ${DIALOGUES} changed dialogues in whole lines, however they are split`, () => {
  const random = randomFrom(SEED)
  const progress = soakProgress('changed dialogues', DIALOGUES)
  for (let index = 0; index < DIALOGUES; index++) {
    progress(index)
    const flights = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
      mutate({ random, samples: SAMPLES, tokens: TOKENS, bytesMax: 16 * 1024 }).toString('latin1'),
    )
    const options = {
      offersAuth: random() < 0.5,
      asksSender: random() < 0.5,
      offersTls: random() < 0.5,
      messageBytesMax: pick(random, [40, 1_000, 100_000]),
    }
    const pieceBytes = 1 + Math.floor(random() * 64)
    try {
      const whole = converse(flights, options)
      assert.match(whole.output, /^(?:(?:\d{3}[ -][ -~]*|<TLS>)\r\n)+$/)
      assert.deepEqual(
        converse(flights, options, (flight) => inPieces(flight, pieceBytes)),
        whole,
      )
    } catch (error) {
      const input = JSON.stringify({ flights, options, pieceBytes })
      throw new Error(`dialogue ${index} of seed ${SEED}: ${input}`, { cause: error })
    }
  }
})

function inPieces(flight: Buffer, bytes: number): Buffer[] {
  return Array.from({ length: Math.ceil(flight.length / bytes) }, (_, index) =>
    flight.subarray(index * bytes, (index + 1) * bytes),
  )
}
