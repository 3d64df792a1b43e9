import type { ProtocolOptions } from '../src/protocol/dialogue.ts'
import { SmtpProtocol } from '../src/protocol/machine.ts'
import { REPLIES } from '../src/protocol/replies.ts'
import type { RefusedReason, TransmissionType } from '../src/protocol/steps.ts'

/** What the machine is told in tests, unless a test says otherwise. */
export const PROTOCOL_OPTIONS: ProtocolOptions = {
  hostname: 'mx.mayfly.test',
  offersTls: true,
  acceptsAnyAuth: false,
  messageBytesMax: 1000,
  recipientsMax: 100,
  lineBytesMax: 1000,
  errorsMax: 20,
}

/** What came of a dialogue. */
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
  readonly turnedAway: readonly RefusedReason[]
}

/** How one flight of bytes is cut into pieces. */
export type Cut = (flight: Buffer) => readonly Buffer[]

/** All in one piece. */
export const UNCUT: Cut = (flight) => [flight]

/** One byte a piece. */
export const EVERY_BYTE: Cut = (flight) => Array.from(flight, (byte) => Buffer.from([byte]))

/**
 * Lets the machine hear these flights, with a TLS handshake after each but the last.
 *
 * A recipient whose address begins with `unknown` or `full` is refused; every mail is stored.
 */
export function converse(
  flights: readonly string[],
  options: Partial<ProtocolOptions> = {},
  cut: Cut = UNCUT,
): Conversation {
  const protocol = new SmtpProtocol<string>({ ...PROTOCOL_OPTIONS, ...options })
  const heard = { output: '', mails: [], turnedAway: [] }
  let isClosed = drive(protocol, heard)
  for (const [index, flight] of flights.entries()) {
    if (index > 0) {
      heard.output += '<TLS>\r\n'
      protocol.secured()
    }
    for (const piece of cut(Buffer.from(flight, 'latin1'))) {
      protocol.push(piece)
      isClosed = drive(protocol, heard)
    }
  }
  return { ...heard, isClosed }
}

type Heard = {
  output: string
  mails: Conversation['mails'][number][]
  turnedAway: RefusedReason[]
}

/** Answers every step until the machine wants more; true when it has closed. */
function drive(protocol: SmtpProtocol<string>, heard: Heard): boolean {
  for (;;) {
    const step = protocol.advance()
    heard.output += protocol.takeOutput()
    switch (step.kind) {
      case 'recipient':
        answer(protocol, step.address)
        break
      case 'mail':
        heard.mails.push({
          from: step.transaction.mailFrom,
          to: step.transaction.recipients.slice(),
          raw: step.raw.toString('latin1'),
          transmission: step.transmission,
          transcript: step.transcript,
        })
        protocol.settle(REPLIES.stored)
        break
      case 'turned_away':
        heard.turnedAway.push(step.reason)
        break
      case 'brimming':
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

/** Lines with the ends that SMTP wants. */
export function lines(...texts: readonly string[]): string {
  return texts.map((text) => `${text}\r\n`).join('')
}
