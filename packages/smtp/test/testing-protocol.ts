import type {
  ContentRejection,
  ProtocolOptions,
  TransmissionType,
} from '../src/protocol/interface.ts'
import { SmtpProtocol } from '../src/protocol/machine.ts'
import { REPLIES } from '../src/protocol/replies.ts'

/** The default options of the machine in tests. */
export const PROTOCOL_OPTIONS: ProtocolOptions = {
  hostname: 'mx.mayfly.test',
  offersTls: true,
  offersAuth: false,
  asksSender: false,
  messageBytesMax: 1000,
  recipientsMax: 100,
  lineBytesMax: 1000,
  errorsMax: 20,
}

const REFUSED_SENDER = '451 4.3.0 Not now'

/** The result of a dialogue. */
export type Conversation = {
  readonly output: string
  readonly isClosed: boolean
  readonly mails: readonly {
    readonly from: string
    readonly to: readonly string[]
    readonly raw: string
    readonly transmission: TransmissionType
    readonly transcript: readonly string[]
  }[]
  readonly rejected: readonly ContentRejection['reason'][]
}

/** How the bytes of one flight are split into chunks. */
export type Cut = (flight: Buffer) => readonly Buffer[]

/** One chunk. */
export const UNCUT: Cut = (flight) => [flight]

/** One byte per chunk. */
export const EVERY_BYTE: Cut = (flight) => Array.from(flight, (byte) => Buffer.from([byte]))

/**
 * Sends these flights to the machine, with a TLS handshake after each but the last.
 *
 * A recipient whose address begins with `unknown` or `full` is refused, and so are the password
 * `wrong` and, where it is asked about, a sender that begins with `refused`; every mail is stored.
 */
export function converse(
  flights: readonly string[],
  options: Partial<ProtocolOptions> = {},
  cut: Cut = UNCUT,
): Conversation {
  const protocol = new SmtpProtocol<string>({ ...PROTOCOL_OPTIONS, ...options })
  const collected = { output: '', mails: [], rejected: [] }
  let isClosed = drive(protocol, collected)
  for (const [index, flight] of flights.entries()) {
    if (index > 0) {
      collected.output += '<TLS>\r\n'
      protocol.secured()
    }
    for (const piece of cut(Buffer.from(flight, 'latin1'))) {
      protocol.push(piece)
      isClosed = drive(protocol, collected)
    }
  }
  return { ...collected, isClosed }
}

type Collected = {
  output: string
  mails: Conversation['mails'][number][]
  rejected: ContentRejection['reason'][]
}

/** Answers every step until the machine needs input; true when it is closed. */
function drive(protocol: SmtpProtocol<string>, collected: Collected): boolean {
  for (;;) {
    const step = protocol.advance()
    collected.output += protocol.takeOutput()
    switch (step.kind) {
      case 'sender':
        if (step.transaction.mailFrom.startsWith('refused')) protocol.refuse(REFUSED_SENDER)
        else protocol.admitSender()
        break
      case 'recipient':
        answer(protocol, step.address)
        break
      case 'credentials':
        if (step.credentials.password === 'wrong') protocol.refuse(REPLIES.badCredentials)
        else protocol.authenticated()
        break
      case 'mail':
        collected.mails.push({
          from: step.transaction.mailFrom,
          to: step.transaction.recipients.slice(),
          raw: step.raw.toString('latin1'),
          transmission: step.transmission,
          transcript: step.transcript,
        })
        protocol.settle(REPLIES.stored)
        break
      case 'rejected':
        collected.rejected.push(step.reason)
        break
      case 'output_full':
        break
      default:
        return step.kind === 'closed'
    }
  }
}

function answer(protocol: SmtpProtocol<string>, address: string): void {
  if (address.startsWith('unknown')) protocol.refuse(REPLIES.unknownRecipient)
  else if (address.startsWith('full')) protocol.refuse(REPLIES.inboxFull)
  else protocol.admit(address)
}

/** The codes of all replies in order: `250 2.1.0`, or `250` where there is no enhanced code. */
export function codesOf(output: string): readonly string[] {
  return output
    .split('\r\n')
    .filter((line) => /^(?:\d{3}(?: |$)|<TLS>)/.test(line))
    .map((line) => /^(?:\d{3}(?: \d\.\d+\.\d+)?|<TLS>)/.exec(line)?.[0] ?? line)
}

/** The texts as lines that end with CRLF. */
export function lines(...texts: readonly string[]): string {
  return texts.map((text) => `${text}\r\n`).join('')
}
