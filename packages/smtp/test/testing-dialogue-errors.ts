import type { DialogueCase } from './testing-dialogues.ts'
import { lines } from './testing-protocol.ts'

const HELLO = 'EHLO client.example'
const FROM = 'MAIL FROM:<a@example.com>'
const TO = 'RCPT TO:<b@mayfly.test>'
const START = lines(HELLO, FROM, TO)
const STARTED = ['250', '250 2.1.0', '250 2.1.5']

/** Client errors, and exceeded limits. */
export const ERROR_DIALOGUES: readonly DialogueCase[] = [
  {
    name: 'commands in the wrong order',
    flights: [lines(FROM, TO, 'DATA', HELLO, TO, 'DATA', FROM, FROM, 'DATA', 'RSET', TO)],
    codes: [
      ...['503 5.5.1', '503 5.5.1', '503 5.5.1', '250', '503 5.5.1', '503 5.5.1', '250 2.1.0'],
      ...['503 5.5.1', '503 5.5.1', '250 2.0.0', '503 5.5.1'],
    ],
  },
  {
    name: 'EHLO forgets the mail',
    flights: [`${START}${lines(HELLO, TO, 'DATA')}`],
    codes: [...STARTED, '250', '503 5.5.1', '503 5.5.1'],
  },
  {
    name: 'small commands',
    flights: [
      lines(
        'NOOP',
        'noop and more',
        'VRFY b',
        'VRFY',
        'EXPN x',
        'HELP',
        'HELP MAIL',
        'RSET',
        'WAT',
        '',
      ),
    ],
    codes: [
      ...[
        '250 2.0.0',
        '250 2.0.0',
        '252 2.1.5',
        '501 5.5.4',
        '502 5.5.1',
        '214 2.0.0',
        '214 2.0.0',
      ],
      ...['250 2.0.0', '500 5.5.1', '500 5.5.1'],
    ],
  },
  {
    name: 'arguments where none belong, and none where one belongs',
    flights: [
      lines('EHLO', 'HELO', 'EHLO a b', `EHLO ${'x'.repeat(256)}`, 'RSET x', 'QUIT x', 'DATA x'),
    ],
    codes: Array<string>(7).fill('501 5.5.4'),
  },
  {
    name: 'bad senders',
    flights: [
      lines(
        HELLO,
        'MAIL',
        'MAIL FROM',
        'MAIL FROM:',
        'MAIL TO:<a@b.c>',
        'MAIL FROM:a@b.c',
        'MAIL FROM:<a@b.c',
        'MAIL FROM:<a@b.c>x',
        'MAIL FROM:<postmaster>',
        'MAIL FROM:<\xc3\xa9@b.c>',
      ),
    ],
    codes: ['250', ...Array<string>(8).fill('501 5.1.7'), '553 5.6.7'],
  },
  {
    name: 'bad recipients',
    flights: [
      lines(
        HELLO,
        FROM,
        'RCPT',
        'RCPT TO:',
        'RCPT TO:<>',
        'RCPT TO:<a>',
        'RCPT FROM:<a@b.c>',
        'RCPT TO:<a@b.c> NOTIFY=NEVER',
        'RCPT TO:<\xc3\xa9@b.c>',
        'DATA',
      ),
    ],
    codes: [
      '250',
      '250 2.1.0',
      ...Array<string>(5).fill('501 5.1.3'),
      '555 5.5.4',
      '553 5.6.7',
      '554 5.5.1',
    ],
  },
  {
    name: 'bad parameters of MAIL',
    flights: [
      lines(
        HELLO,
        ...['SIZE', 'SIZE=', 'SIZE=x', 'SIZE=1 SIZE=1', 'BODY=BINARYMIME', 'SMTPUTF8=1', '='].map(
          (parameter) => `${FROM} ${parameter}`,
        ),
        `${FROM} RET=HDRS`,
        `${FROM} SIZE=1001`,
        'HELO x',
        `${FROM} SIZE=1`,
      ),
    ],
    codes: [
      ...['250', ...Array<string>(7).fill('501 5.5.4'), '555 5.5.4', '552 5.3.4'],
      ...['250', '555 5.5.4'],
    ],
  },
  {
    name: 'a mail refused for its size, the rest of it sent ahead',
    options: { errorsMax: 1 },
    flights: [lines(HELLO, `${FROM} SIZE=1001`, TO, TO, 'DATA', `${FROM} SIZE=1000`)],
    codes: ['250', '552 5.3.4', '503 5.5.1', '503 5.5.1', '503 5.5.1', '250 2.1.0'],
  },
  {
    name: 'all recipients refused, DATA sent ahead',
    options: { errorsMax: 0 },
    flights: [
      lines(
        HELLO,
        FROM,
        'RCPT TO:<unknown@mayfly.test>',
        'RCPT TO:<full@mayfly.test>',
        'DATA',
        'RSET',
      ),
    ],
    codes: ['250', '250 2.1.0', '550 5.1.1', '452 4.2.2', '554 5.5.1', '250 2.0.0'],
  },
  {
    name: 'one recipient too many',
    options: { recipientsMax: 2, errorsMax: 0 },
    flights: [lines(HELLO, FROM, TO, TO, TO, TO, 'DATA', 'x', '.')],
    codes: [
      '250',
      '250 2.1.0',
      '250 2.1.5',
      '250 2.1.5',
      '452 4.5.3',
      '452 4.5.3',
      '354',
      '250 2.0.0',
    ],
    mails: [{ to: ['b@mayfly.test', 'b@mayfly.test'] }],
  },
  {
    name: 'lines as long as allowed, and one byte longer',
    flights: [
      lines(`NOOP ${'x'.repeat(993)}`, `NOOP ${'x'.repeat(994)}`, 'x'.repeat(3000), 'NOOP'),
    ],
    codes: ['250 2.0.0', '500 5.5.2', '500 5.5.2', '250 2.0.0'],
  },
  {
    name: 'lines that end wrongly, or hold what no line may',
    flights: ['NOOP\nNOOP\r\n\nNO\rOP\r\nNOOP \x00\r\nNOOP \xff\r\nNOOP\r\r\n'],
    codes: ['500 5.5.2', '250 2.0.0', ...Array<string>(5).fill('500 5.5.2')],
  },
  {
    name: 'one error too many',
    options: { errorsMax: 3 },
    flights: [lines('A', 'B', 'C', 'D', 'NOOP')],
    codes: ['500 5.5.1', '500 5.5.1', '500 5.5.1', '421 4.7.0'],
    isClosed: true,
  },
  {
    name: 'a browser',
    flights: [lines('POST / HTTP/1.1', 'Host: localhost:1025', '', HELLO, FROM)],
    codes: ['421 4.7.0'],
    isClosed: true,
  },
  {
    name: 'nothing after QUIT',
    flights: [lines('QUIT', 'NOOP', HELLO)],
    codes: ['221 2.0.0'],
    isClosed: true,
  },
]

/** Mails that are too large, and invalid chunks. */
export const CONTENT_DIALOGUES: readonly DialogueCase[] = [
  {
    name: 'as large as allowed, dots not counted, and one byte larger',
    options: { messageBytesMax: 30 },
    flights: [
      lines(HELLO, FROM, TO, 'DATA', '..', 'x'.repeat(25), '.').concat(
        lines(FROM, TO, 'DATA', '..', 'x'.repeat(26), '.', 'NOOP'),
      ),
    ],
    codes: [
      ...STARTED,
      '354',
      '250 2.0.0',
      '250 2.1.0',
      '250 2.1.5',
      '354',
      '552 5.3.4',
      '250 2.0.0',
    ],
    mails: [{ raw: lines('.', 'x'.repeat(25)) }],
    rejected: ['too_large'],
  },
  {
    name: 'nothing but stuffed dots, as large as allowed',
    options: { messageBytesMax: 30 },
    flights: [`${START}${lines('DATA', ...Array<string>(10).fill('..'), '.')}`],
    codes: [...STARTED, '354', '250 2.0.0'],
    mails: [{ raw: lines(...Array<string>(10).fill('.')) }],
  },
  {
    name: 'far too large, yet read to its end',
    options: { messageBytesMax: 30 },
    flights: [`${START}${lines('DATA', 'x'.repeat(100), '.', FROM)}`],
    codes: [...STARTED, '354', '552 5.3.4', '250 2.1.0'],
    rejected: ['too_large'],
  },
  {
    name: 'too large to be read to its end',
    options: { messageBytesMax: 30 },
    flights: [`${START}${lines('DATA', 'x'.repeat(150), '.', FROM)}`],
    codes: [...STARTED, '354', '552 5.3.4'],
    rejected: ['too_large'],
    isClosed: true,
  },
  {
    name: 'chunks that become too large, and the rest of them sent ahead',
    options: { messageBytesMax: 30 },
    flights: [
      START.concat(
        lines('BDAT 20', 'x'.repeat(18), 'BDAT 11', 'MAIL FROM', 'BDAT 6 LAST', 'QUIT', 'NOOP'),
      ),
    ],
    codes: [...STARTED, '250 2.0.0', '552 5.3.4', '503 5.5.1', '250 2.0.0'],
    rejected: ['too_large'],
  },
  {
    name: 'a chunk too large to be sat out',
    options: { messageBytesMax: 30 },
    flights: [`${START}${lines('BDAT 121', 'QUIT')}`],
    codes: [...STARTED, '552 5.3.4'],
    rejected: ['too_large'],
    isClosed: true,
  },
  {
    name: 'a chunk whose size cannot be read',
    flights: [`${START}${lines('BDAT x', 'QUIT')}`],
    codes: [...STARTED, '501 5.5.4'],
    isClosed: true,
  },
  {
    name: 'chunks out of order: their bytes are never commands',
    flights: [
      lines('BDAT 6', 'QUIT', HELLO, 'BDAT 6', 'QUIT', FROM, 'BDAT 6', 'QUIT').concat(
        lines('RCPT TO:<unknown@mayfly.test>', 'BDAT 6 LAST', 'QUIT', 'NOOP'),
      ),
    ],
    codes: [
      ...['503 5.5.1', '250', '503 5.5.1', '250 2.1.0', '503 5.5.1', '550 5.1.1', '554 5.5.1'],
      '250 2.0.0',
    ],
  },
  {
    name: 'RCPT, DATA and MAIL after the first chunk',
    flights: [
      `${START}${lines('BDAT 1')}x${lines(TO, 'DATA', FROM, 'BDAT 1 LAST')}y${lines('RSET')}`,
    ],
    codes: [
      ...STARTED,
      '250 2.0.0',
      '503 5.5.1',
      '503 5.5.1',
      '503 5.5.1',
      '250 2.0.0',
      '250 2.0.0',
    ],
    mails: [{ raw: 'xy' }],
  },
  {
    name: 'a reset between two chunks',
    flights: [`${START}${lines('BDAT 1')}x${lines('RSET', FROM, TO, 'BDAT 1 LAST')}y`],
    codes: [...STARTED, '250 2.0.0', '250 2.0.0', '250 2.1.0', '250 2.1.5', '250 2.0.0'],
    mails: [{ raw: 'y' }],
  },
]
