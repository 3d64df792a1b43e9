// The receiving side of SMTP as a state machine: bytes go in, replies and steps come out.
//
// It knows no socket, clock or store. Its user pushes bytes as they come, cut anywhere, and calls
// `advance` until it says 'starved'; replies pile up in order and are taken with `takeOutput`. A
// step that asks something ('recipient', 'mail', 'secure') stops the machine until it is
// answered, so commands that a client sent ahead wait, and replies keep the order of commands.
//
// The states, and the moves between them:
//
//   command   Waits for a command line. Here a session begins, with the greeting as output.
//             HELO and EHLO forget any mail under way. MAIL needs one of them and begins a
//             mail; RCPT needs a mail and goes to `asking`; DATA needs a recipient and goes to
//             `data`; BDAT goes to `chunk`. RSET forgets the mail. STARTTLS goes to
//             `securing`, AUTH to `authing` or, when all is said in one line, stays. QUIT goes
//             to `closed`. NOOP, VRFY, HELP and whatever is wrong are answered and stay.
//   asking    Waits for `admit` or `refuse`, then back to `command`. The mail keeps what was
//             admitted.
//   data      Takes bytes until CRLF . CRLF, then goes to `storing`; or, when the mail is too
//             large, refuses it, forgets it, and goes to `command` ('turned_away').
//   chunk     Takes exactly the bytes that BDAT announced, also where the command is refused:
//             they must never be read as commands. Then back to `command`, after the last
//             chunk of a good mail to `storing`. From the first chunk on a mail takes neither
//             RCPT nor DATA.
//   storing   Waits for `settle`, then forgets the mail and goes to `command`.
//   authing   Waits for a line that is a secret, and stays, or goes to `command`.
//   securing  Waits for `secured`. Bytes that come before it are dropped: somebody on the line
//             may have slipped them in before TLS. `secured` starts over: no HELO, no mail, no
//             authentication.
//   closed    Ignores all that comes. QUIT, too many errors, an endless line or mail, a BDAT
//             whose size cannot be read, HTTP, and `hangUp` lead here.
//
// What is wrong with a command counts as an error; past the limit the session is closed.
// Refused recipients do not count here, nor does what follows from a refused MAIL or RCPT when
// the client had sent it ahead.

import { readAuthLine, readCommand } from './commands.ts'
import { readChunk, readData } from './content.ts'
import { COMMAND, Dialogue, type ProtocolOptions } from './dialogue.ts'
import { greeting, REPLIES } from './replies.ts'
import type { Step, Transaction } from './steps.ts'

/** Replies that pile up at most before they must be taken: a client may ask and never read. */
const OUTPUT_CHARACTERS_MAX = 16 * 1024

const STARVED = { kind: 'starved' } as const
const BRIMMING = { kind: 'brimming' } as const
const WAITING = { kind: 'waiting' } as const

/** One session's machine. `R` is what its user calls a recipient. */
export class SmtpProtocol<R> {
  readonly #dialogue: Dialogue<R>

  constructor(options: ProtocolOptions) {
    this.#dialogue = new Dialogue(options)
    this.#dialogue.reply(greeting(options.hostname))
    this.#dialogue.transcript.keepAsOpening()
  }

  /** The name in HELO or EHLO, or null before either. */
  get helo(): string | null {
    return this.#dialogue.helo?.name ?? null
  }

  /** The mail under way, also after the machine closed in the middle of it. */
  get transaction(): Transaction<R> | null {
    return this.#dialogue.mail
  }

  /** Whether what comes in is content of a mail, and no command. */
  get isTakingContent(): boolean {
    const { name } = this.#dialogue.state
    return name === 'data' || name === 'chunk'
  }

  /** Whether part of a mail came in and the rest is due: also between two chunks. */
  get isMidMail(): boolean {
    const { state, mail } = this.#dialogue
    return this.isTakingContent || (state.name === 'command' && (mail?.body ?? null) !== null)
  }

  /** Bytes of an unfinished mail that are kept in memory. */
  get heldBytes(): number {
    const { state, mail } = this.#dialogue
    if (state.name === 'data') return state.reader.heldBytes
    return this.isMidMail ? (mail?.body?.lengthBytes ?? 0) : 0
  }

  push(chunk: Buffer): void {
    const { state, input } = this.#dialogue
    if (state.name !== 'closed' && state.name !== 'securing') input.push(chunk)
  }

  /** Goes as far as it can with what it has. */
  advance(): Step<R> {
    for (;;) {
      if (this.#dialogue.output.length > OUTPUT_CHARACTERS_MAX) return BRIMMING
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

  /** Answers 'recipient': the mail is for this one too. */
  admit(recipient: R): void {
    this.#dialogue.state = COMMAND
    this.#dialogue.mail?.recipients.push(recipient)
    this.#dialogue.reply(REPLIES.recipientOk)
  }

  /** Answers 'recipient': not for this one. */
  refuse(reply: string): void {
    const { mail } = this.#dialogue
    if (mail !== null) mail.hasRefusedRecipient = true
    this.#dialogue.state = COMMAND
    this.#dialogue.reply(reply)
  }

  /** Answers 'mail'. */
  settle(reply: string): void {
    this.#dialogue.state = COMMAND
    this.#dialogue.mail = null
    this.#dialogue.reply(reply)
  }

  /** Answers 'secure': the handshake is done. */
  secured(): void {
    this.#dialogue.startOverSecured()
  }

  /** Keeps nothing more of the mail that is coming in, and refuses it when it ends. */
  abandonMail(): void {
    const { state, mail } = this.#dialogue
    if (mail === null || mail.refusal !== null) return
    mail.refusal = { reason: 'no_memory', reply: REPLIES.storageFull }
    mail.body?.clear()
    if (state.name === 'data') state.reader.discard()
  }

  /** Ends the session from any state. */
  hangUp(reply: string): void {
    this.#dialogue.close(reply)
  }

  #move(): Step<R> | null {
    const { state } = this.#dialogue
    switch (state.name) {
      case 'command':
      case 'authing':
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
    if (line.kind === 'partial') return STARVED
    this.#dialogue.state = COMMAND
    switch (line.kind) {
      case 'line':
        if (state.name === 'authing') return readAuthLine(this.#dialogue, state.stage, line.text)
        return readCommand(this.#dialogue, line.text)
      case 'too_long':
        transcript.client('<line too long>')
        return this.#dialogue.fail(REPLIES.lineTooLong)
      case 'bare_lf':
        transcript.client('<line that does not end with CRLF>')
        return this.#dialogue.fail(REPLIES.bareLineFeed)
      case 'endless':
        return this.#dialogue.close(REPLIES.endlessLine)
    }
  }
}
