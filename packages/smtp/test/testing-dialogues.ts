import type { ProtocolOptions } from '../src/protocol/interface.ts'
import { type Conversation, lines } from './testing-protocol.ts'

/** A dialogue and its expected result. */
export type DialogueCase = {
  readonly name: string
  readonly options?: Partial<ProtocolOptions>
  /** What the client sends; a TLS handshake follows each flight but the last. */
  readonly flights: readonly string[]
  /** After the greeting. */
  readonly codes: readonly string[]
  readonly mails?: readonly Partial<Conversation['mails'][number]>[]
  readonly rejected?: Conversation['rejected']
  readonly isClosed?: boolean
}

const AUTH = { offersAuth: true }
const ASKS = { asksSender: true }
const HELLO = 'EHLO client.example'
const FROM = 'MAIL FROM:<a@example.com>'
const TO = 'RCPT TO:<b@mayfly.test>'
const START = lines(HELLO, FROM, TO)
const STARTED = ['250', '250 2.1.0', '250 2.1.5']
const MAIL = lines('Subject: hello', '', 'Hello.')
const STORED = '250 2.0.0'

/** Complete mails, in every way in which one can be sent. */
export const MAIL_DIALOGUES: readonly DialogueCase[] = [
  {
    name: 'a mail, all commands ahead',
    flights: [`${START}${lines('DATA')}${MAIL}${lines('.', 'QUIT')}`],
    codes: [...STARTED, '354', STORED, '221 2.0.0'],
    mails: [{ from: 'a@example.com', to: ['b@mayfly.test'], raw: MAIL, transmission: 'ESMTP' }],
    isClosed: true,
  },
  {
    name: 'a mail after HELO, in small letters, with blanks',
    flights: [
      lines('helo x', 'mail from: <a@example.com> ', 'rcpt to:<b@mayfly.test>\t', 'data', 'x', '.'),
    ],
    codes: [...STARTED, '354', STORED],
    mails: [{ raw: 'x\r\n', transmission: 'SMTP' }],
  },
  {
    name: 'two mails, and a reset between them',
    flights: [
      `${START}${lines('DATA', 'one', '.', FROM, TO, 'RSET', FROM, TO, TO, 'DATA', 'two', '.')}`,
    ],
    codes: [
      ...STARTED,
      '354',
      STORED,
      ...STARTED.slice(1),
      '250 2.0.0',
      ...STARTED.slice(1),
      '250 2.1.5',
      '354',
      STORED,
    ],
    mails: [{ raw: 'one\r\n' }, { raw: 'two\r\n', to: ['b@mayfly.test', 'b@mayfly.test'] }],
  },
  {
    name: 'a bounce to postmaster',
    flights: [lines(HELLO, 'MAIL FROM:<>', 'RCPT TO:<PostMaster>', 'DATA', '.')],
    codes: [...STARTED, '354', STORED],
    mails: [{ from: '', to: ['postmaster'], raw: '' }],
  },
  {
    name: 'stuffed dots, also on the first and the last line',
    flights: [`${START}${lines('DATA', '..', '...', '..a', 'a..', '. b', '', '..', '.', 'NOOP')}`],
    codes: [...STARTED, '354', STORED, '250 2.0.0'],
    mails: [{ raw: lines('.', '..', '.a', 'a..', ' b', '', '.') }],
  },
  {
    name: 'dots after a lone LF or CR are no line starts',
    flights: [`${START}${lines('DATA', 'a\n..\n.b\r..\r.c', '.')}`],
    codes: [...STARTED, '354', STORED],
    mails: [{ raw: 'a\n..\n.b\r..\r.c\r\n' }],
  },
  {
    name: 'bytes above 127 and zeros in the content',
    flights: [`${START}${lines('DATA', 'caf\xc3\xa9 \x00 \xff', '.')}`],
    codes: [...STARTED, '354', STORED],
    mails: [{ raw: 'caf\xc3\xa9 \x00 \xff\r\n' }],
  },
  {
    name: 'one chunk',
    flights: [`${START}${lines('BDAT 21 LAST')}Subject: hi\r\n\r\n.\r\n.\r\n${lines('QUIT')}`],
    codes: [...STARTED, STORED, '221 2.0.0'],
    mails: [{ raw: 'Subject: hi\r\n\r\n.\r\n.\r\n' }],
    isClosed: true,
  },
  {
    name: 'several chunks, an empty last one among them',
    flights: [
      `${START}${lines('bdat 5')}hello${lines('BDAT 7')} world.${lines('BDAT 0 last', 'NOOP')}`,
    ],
    codes: [...STARTED, '250 2.0.0', '250 2.0.0', STORED, '250 2.0.0'],
    mails: [{ raw: 'hello world.' }],
  },
  {
    name: 'a declared size, eight bits, UTF-8 addresses',
    flights: [
      lines(
        HELLO,
        'MAIL FROM:<j\xc3\xb6rg@ex\xc3\xa4mple.com> SIZE=10 BODY=8BITMIME SMTPUTF8',
        'RCPT TO:<\xc3\xa9@mayfly.test>',
        'DATA',
        'x',
        '.',
      ),
    ],
    codes: [...STARTED, '354', STORED],
    mails: [{ from: 'jörg@exämple.com', to: ['é@mayfly.test'], transmission: 'UTF8SMTP' }],
  },
  {
    name: 'a mail to which some recipients are refused',
    flights: [lines(HELLO, FROM, 'RCPT TO:<unknown@b.c>', 'RCPT TO:<full@b.c>', TO, 'DATA', '.')],
    codes: ['250', '250 2.1.0', '550 5.1.1', '452 4.2.2', '250 2.1.5', '354', STORED],
    mails: [{ to: ['b@mayfly.test'] }],
  },
]

/** Senders that the user of the machine decides about. */
export const SENDER_DIALOGUES: readonly DialogueCase[] = [
  {
    name: 'a sender that is asked about, refused with all that depends on it, then accepted',
    options: ASKS,
    flights: [
      lines(HELLO, 'MAIL FROM:<refused@a.b>', TO, 'DATA', FROM, TO, 'DATA', 'x', '.', 'QUIT'),
    ],
    codes: [
      '250',
      '451 4.3.0',
      '503 5.5.1',
      '503 5.5.1',
      ...STARTED.slice(1),
      '354',
      STORED,
      '221 2.0.0',
    ],
    mails: [{ from: 'a@example.com', to: ['b@mayfly.test'], raw: 'x\r\n' }],
    isClosed: true,
  },
  {
    name: 'senders that are refused do not count as errors',
    options: { ...ASKS, errorsMax: 1 },
    flights: [
      lines(
        HELLO,
        ...Array.from({ length: 5 }, () => ['MAIL FROM:<refused@a.b>', TO, 'DATA']).flat(),
      ),
    ],
    codes: [
      '250',
      ...Array.from({ length: 5 }, () => ['451 4.3.0', '503 5.5.1', '503 5.5.1']).flat(),
    ],
  },
]

/** TLS and AUTH. */
export const SECURITY_DIALOGUES: readonly DialogueCase[] = [
  {
    name: 'nothing sent before TLS survives into it',
    options: AUTH,
    flights: [
      lines(
        HELLO,
        'AUTH PLAIN AGEAYg==',
        FROM,
        TO,
        'STARTTLS',
        'RCPT TO:<evil@mayfly.test>',
        'DATA',
        'evil',
      ),
      lines(TO, FROM, HELLO, FROM, TO, 'DATA', 'good', '.', 'STARTTLS'),
    ],
    codes: [
      ...[
        '250',
        '235 2.7.0',
        '250 2.1.0',
        '250 2.1.5',
        '220 2.0.0',
        '<TLS>',
        '503 5.5.1',
        '503 5.5.1',
      ],
      ...[...STARTED, '354', STORED, '503 5.5.1'],
    ],
    mails: [{ to: ['b@mayfly.test'], raw: 'good\r\n', transmission: 'ESMTPS' }],
  },
  {
    name: 'half a command before TLS does not complete one after it',
    flights: [lines(HELLO, 'STARTTLS').concat('MAIL FROM:<evil@example.com'), lines('>', 'NOOP')],
    codes: ['250', '220 2.0.0', '<TLS>', '500 5.5.1', '250 2.0.0'],
  },
  {
    name: 'STARTTLS with an argument',
    flights: [lines('STARTTLS now')],
    codes: ['501 5.5.4'],
  },
  {
    name: 'STARTTLS where it is not offered',
    options: { offersTls: false },
    flights: [lines(HELLO, 'STARTTLS')],
    codes: ['250', '502 5.5.1'],
  },
  {
    name: 'AUTH where it is not offered',
    flights: [lines(HELLO, 'AUTH PLAIN AGEAYg==', 'MAIL FROM:<a@b.c> AUTH=<>')],
    codes: ['250', '502 5.5.1', '555 5.5.4'],
  },
  {
    name: 'AUTH PLAIN at once, then again, then a mail',
    options: AUTH,
    flights: [
      lines(
        HELLO,
        'AUTH PLAIN AGEAYg==',
        'auth login',
        'MAIL FROM:<a@b.c> AUTH=<>',
        TO,
        'DATA',
        '.',
      ),
    ],
    codes: ['250', '235 2.7.0', '503 5.5.1', '250 2.1.0', '250 2.1.5', '354', STORED],
    mails: [{ transmission: 'ESMTPA' }],
  },
  {
    name: 'AUTH PLAIN on a line of its own, over TLS',
    options: AUTH,
    flights: [
      lines(HELLO, 'STARTTLS'),
      lines(HELLO, 'AUTH PLAIN', 'AGEAYg==', FROM, TO, 'DATA', '.'),
    ],
    codes: [
      '250',
      '220 2.0.0',
      '<TLS>',
      '250',
      '334',
      '235 2.7.0',
      '250 2.1.0',
      '250 2.1.5',
      '354',
      STORED,
    ],
    mails: [{ transmission: 'ESMTPSA' }],
  },
  {
    name: 'AUTH LOGIN in three lines and in two',
    options: AUTH,
    flights: [
      lines(HELLO, 'AUTH LOGIN', 'YQ==', 'Yg==', 'STARTTLS'),
      lines(HELLO, 'AUTH LOGIN YQ==', '='),
    ],
    codes: [
      ...['250', '334', '334', '235 2.7.0', '220 2.0.0', '<TLS>'],
      ...['250', '334', '235 2.7.0'],
    ],
  },
  {
    name: 'AUTH with a wrong password, then with another, then a mail',
    options: AUTH,
    // \0a\0wrong, a and wrong, \0a\0b
    flights: [
      lines(
        HELLO,
        'AUTH PLAIN AGEAd3Jvbmc=',
        'AUTH LOGIN',
        'YQ==',
        'd3Jvbmc=',
        'AUTH PLAIN AGEAYg==',
        ...[FROM, TO, 'DATA', '.'],
      ),
    ],
    codes: [
      ...['250', '535 5.7.8', '334', '334', '535 5.7.8', '235 2.7.0'],
      ...['250 2.1.0', '250 2.1.5', '354', STORED],
    ],
    mails: [{ transmission: 'ESMTPA' }],
  },
  {
    name: 'AUTH PLAIN without a name or a password',
    options: AUTH,
    // a, \0a, and four parts
    flights: [lines(HELLO, 'AUTH PLAIN YQ==', 'AUTH PLAIN AGE=', 'AUTH PLAIN AGEAYgBj')],
    codes: ['250', '501 5.5.2', '501 5.5.2', '501 5.5.2'],
  },
  {
    name: 'AUTH too early, or of a kind not known',
    options: AUTH,
    flights: [
      lines('AUTH PLAIN', 'HELO x', 'AUTH PLAIN', HELLO, 'AUTH', 'AUTH CRAM-MD5', 'AUTH PLAIN a b'),
    ],
    codes: [...['503 5.5.1', '250', '503 5.5.1', '250', '504 5.5.4', '504 5.5.4', '501 5.5.4']],
  },
  {
    name: 'AUTH that is broken off, is no base64, or is too long',
    options: AUTH,
    flights: [
      lines(
        HELLO,
        'AUTH LOGIN',
        '*',
        'AUTH LOGIN',
        'YQ==',
        'no base64!',
        'AUTH PLAIN !',
        'STARTTLS',
      ),
      lines(HELLO, 'AUTH PLAIN', 'x'.repeat(1001), 'AUTH PLAIN').concat('YQ==\n', lines('QUIT')),
    ],
    codes: [
      ...['250', '334', '501 5.7.0', '334', '334', '501 5.5.2', '501 5.5.2', '220 2.0.0', '<TLS>'],
      ...['250', '334', '500 5.5.2', '334', '500 5.5.2', '221 2.0.0'],
    ],
    isClosed: true,
  },
  {
    name: 'AUTH in the middle of a mail',
    options: AUTH,
    flights: [lines(HELLO, FROM, 'AUTH PLAIN AGEAYg==', TO)],
    codes: ['250', '250 2.1.0', '503 5.5.1', '250 2.1.5'],
  },
]
