// The receiving side of SMTP as a state machine: bytes in, replies and steps out.
//
// It uses no socket, clock or store. Its user pushes bytes as they arrive, split anywhere, and
// calls `advance` until it returns 'needs_input'; `takeOutput` returns the replies, in order. A
// step with a request ('sender', 'recipient', 'credentials', 'mail', 'secure') stops the machine
// until the response: pipelined commands wait, and replies keep the order of commands.
//
// The states and their transitions:
//
//   command         Waits for a command line. A session begins here, with the greeting as output.
//                   HELO and EHLO drop any mail in progress. MAIL requires one of them and begins
//                   a mail, by way of `asking_sender` if senders are asked about; RCPT requires a
//                   mail and goes to `asking`; DATA requires a recipient and goes to `data`; BDAT
//                   goes to `chunk`. RSET drops the mail. STARTTLS goes to `securing`. AUTH goes to
//                   `authenticating`, or to `verifying` if the line is complete. QUIT goes to
//                   `closed`. NOOP, VRFY, HELP and errors are answered and stay.
//   asking_sender   Waits for `admitSender` or `refuse`, then goes to `command`. A refusal drops
//                   the mail.
//   asking          Waits for `admit` or `refuse`, then goes to `command`. The mail keeps the
//                   admitted recipient.
//   data            Reads bytes until CRLF . CRLF, then goes to `storing`; or, if the mail is too
//                   large, rejects and drops it ('rejected') and goes to `command`.
//   chunk           Reads exactly the bytes that BDAT announced, even if the command is refused:
//                   they must never be read as commands. Then goes to `command`, or to `storing`
//                   after the last chunk of an accepted mail. From the first chunk on, RCPT and
//                   DATA are refused for this mail.
//   storing         Waits for `settle`, then drops the mail and goes to `command`.
//   authenticating  Waits for a line with credentials, then stays, goes to `verifying`, or, if it
//                   is malformed, to `command`.
//   verifying       Waits for `authenticated` or `refuse`, then goes to `command`. Credentials that
//                   are refused count as an error.
//   securing        Waits for `secured`. Bytes before that are dropped: they may have been
//                   injected before TLS. `secured` resets the session: no HELO, no mail, no
//                   authentication.
//   closed          Ignores all input. Entered by QUIT, too many errors, a line or mail without
//                   end, BDAT with an invalid size, HTTP, and `close`.
//
// An invalid command counts as an error; too many of them close the session. Refused recipients
// do not count, nor do pipelined commands that fail because MAIL or RCPT was refused.

import { readAuthLine } from './auth.ts'
import { readCommand } from './commands.ts'
import { readChunk, readData } from './content.ts'
import { COMMAND, Dialogue } from './dialogue.ts'
import type { ProtocolOptions, Step, Transaction } from './interface.ts'
import { type CloseReply, greeting, REPLIES } from './replies.ts'

/** Output after which `takeOutput` must be called: a client may send commands and never read. */
const OUTPUT_CHARACTERS_MAX = 16 * 1024

const NEEDS_INPUT = { kind: 'needs_input' } as const
const OUTPUT_FULL = { kind: 'output_full' } as const
const WAITING = { kind: 'waiting' } as const

/** The machine of one session. `R` is its user's type for a recipient. */
export class SmtpProtocol<R> {
  readonly #dialogue: Dialogue<R>

  constructor(options: ProtocolOptions) {
    this.#dialogue = new Dialogue(options)
    this.#dialogue.replyText(greeting(options.hostname))
    this.#dialogue.transcript.keepAsOpening()
  }

  /** The name in HELO or EHLO, or null before either. */
  get helo(): string | null {
    return this.#dialogue.helo?.name ?? null
  }

  /** The mail in progress, also after the session was closed in the middle of it. */
  get transaction(): Transaction<R> | null {
    return this.#dialogue.mail
  }

  /** Whether the next bytes are content of a mail. */
  get isReadingContent(): boolean {
    const { name } = this.#dialogue.state
    return name === 'data' || name === 'chunk'
  }

  /** Whether part of a mail was received and more is to come, also between two chunks. */
  get isMidMail(): boolean {
    const { state, mail } = this.#dialogue
    return this.isReadingContent || (state.name === 'command' && (mail?.content ?? null) !== null)
  }

  /** Bytes of an incomplete mail in memory. */
  get heldBytes(): number {
    const { state, mail } = this.#dialogue
    if (state.name === 'data') return state.reader.heldBytes
    return this.isMidMail ? (mail?.content?.lengthBytes ?? 0) : 0
  }

  /** Whether the client had sent more when the session was closed. */
  get isInputLeft(): boolean {
    return this.#dialogue.isInputLeft
  }

  push(chunk: Buffer): void {
    const { state, input } = this.#dialogue
    if (state.name !== 'closed' && state.name !== 'securing') input.push(chunk)
  }

  /** Processes the input until there is something to report. */
  advance(): Step<R> {
    for (;;) {
      if (this.#dialogue.output.length > OUTPUT_CHARACTERS_MAX) return OUTPUT_FULL
      const step = this.#move()
      if (step !== null) return step
    }
  }

  /** The replies since the last call, in order. */
  takeOutput(): string {
    const { output } = this.#dialogue
    this.#dialogue.output = ''
    return output
  }

  /** Responds to 'sender': the sender is accepted. */
  admitSender(): void {
    this.#dialogue.state = COMMAND
    this.#dialogue.reply('senderOk')
  }

  /** Responds to 'recipient': the recipient is accepted. */
  admit(recipient: R): void {
    this.#dialogue.state = COMMAND
    this.#dialogue.mail?.recipients.push(recipient)
    this.#dialogue.reply('recipientOk')
  }

  /** Responds to 'credentials': the client is authenticated. */
  authenticated(): void {
    this.#dialogue.state = COMMAND
    this.#dialogue.isAuthenticated = true
    this.#dialogue.reply('authenticated')
    this.#dialogue.transcript.keepAsStart()
  }

  /** Responds to 'sender', 'recipient' or 'credentials': refused with this reply. */
  refuse(reply: string): void {
    const { mail, state } = this.#dialogue
    this.#dialogue.state = COMMAND
    if (state.name === 'verifying') {
      this.#dialogue.failWith(reply)
      return
    }
    if (state.name === 'asking_sender') {
      this.#dialogue.mail = null
      this.#dialogue.isMailRefused = true
    } else if (mail !== null) {
      mail.hasRefusedRecipient = true
    }
    this.#dialogue.replyText(reply)
  }

  /** Responds to 'mail' with this reply. */
  settle(reply: string): void {
    this.#dialogue.state = COMMAND
    this.#dialogue.mail = null
    this.#dialogue.replyText(reply)
  }

  /** Responds to 'secure': the handshake is done. */
  secured(): void {
    this.#dialogue.restartSecured()
  }

  /** Discards the mail that is being received, and rejects it when it ends. */
  abandonMail(): void {
    const { state, mail } = this.#dialogue
    if (mail === null || mail.rejection !== null) return
    mail.rejection = { reason: 'no_memory', reply: REPLIES.storageFull }
    mail.content?.clear()
    if (state.name === 'data') state.reader.discard()
  }

  /** Ends the session from any state. */
  close(reply: CloseReply): void {
    this.#dialogue.close(reply)
  }

  #move(): Step<R> | null {
    const { state } = this.#dialogue
    switch (state.name) {
      case 'command':
      case 'authenticating':
        return this.#readLine()
      case 'data':
        return readData(this.#dialogue, state.reader)
      case 'chunk':
        return readChunk(this.#dialogue, state)
      case 'closed':
        return { kind: 'closed', reply: state.reply }
      default:
        return WAITING
    }
  }

  #readLine(): Step<R> | null {
    const { input, state, transcript } = this.#dialogue
    const line = input.readLine()
    if (line.kind === 'partial') return NEEDS_INPUT
    this.#dialogue.state = COMMAND
    switch (line.kind) {
      case 'line':
        if (state.name === 'authenticating') {
          return readAuthLine(this.#dialogue, state.awaited, line.text)
        }
        return readCommand(this.#dialogue, line.text)
      case 'too_long':
        transcript.client('<line too long>')
        return this.#dialogue.fail('lineTooLong')
      case 'bare_lf':
        transcript.client('<line that does not end with CRLF>')
        return this.#dialogue.fail('bareLineFeed')
      case 'endless':
        return this.#dialogue.close('endlessLine')
    }
  }
}
