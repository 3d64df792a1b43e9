import type { DataReader, MailBuffer } from './data-reader.ts'
import { Input } from './input.ts'
import type { ContentRejection, ProtocolOptions, Step, Transaction } from './interface.ts'
import { type CloseReply, REPLIES, type ReplyCode } from './replies.ts'
import { Transcript } from './transcript.ts'

/** The state of the machine; machine.ts describes the states. */
export type State =
  | {
      readonly name: 'command' | 'asking_sender' | 'asking' | 'verifying' | 'storing' | 'securing'
    }
  | { readonly name: 'authenticating'; readonly awaited: AuthLine }
  | { readonly name: 'data'; readonly reader: DataReader }
  | ChunkState
  | { readonly name: 'closed'; readonly reply: CloseReply }

/** The meaning of the client's next line during AUTH. */
export type AuthLine =
  | { readonly name: 'plain' | 'login_username' }
  | { readonly name: 'login_password'; readonly username: string }

/** A BDAT chunk that is being received. */
export type ChunkState = {
  readonly name: 'chunk'
  readonly sizeBytes: number
  readonly isLast: boolean
  /** The reply that refuses the command, or null. */
  readonly refusal: ReplyCode | null
  remainingBytes: number
}

/** A transaction with the facts that the machine itself needs. */
export type MailInProgress<R> = Transaction<R> & {
  readonly recipients: R[]
  hasRefusedRecipient: boolean
  /** Set once the rest of the mail is discarded. */
  rejection: ContentRejection | null
  /** The content received by BDAT, from the first chunk on. */
  content: MailBuffer | null
}

/** The state to which all others return. */
export const COMMAND: State = { name: 'command' }

/** Everything that the machine keeps for a session. */
export class Dialogue<R> {
  readonly options: ProtocolOptions
  readonly input: Input
  readonly transcript = new Transcript()
  state: State = COMMAND
  output = ''
  helo: { readonly name: string; readonly isExtended: boolean } | null = null
  mail: MailInProgress<R> | null = null
  isSecure = false
  isAuthenticated = false
  /** The last MAIL was refused: the pipelined commands that depend on it are no client errors. */
  isMailRefused = false
  /** Whether the client had sent more when the session was closed. */
  isInputLeft = false
  #errorCount = 0

  constructor(options: ProtocolOptions) {
    this.options = options
    this.input = new Input(options.lineBytesMax)
  }

  // These return null, "no step", so that a command can end with one of them.

  reply(code: ReplyCode): null {
    return this.replyText(REPLIES[code])
  }

  replyText(text: string): null {
    this.output += `${text}\r\n`
    this.transcript.server(text)
    return null
  }

  /** Replies to an error of the client; too many of them close the session. */
  fail(code: ReplyCode): null {
    return this.failWith(REPLIES[code])
  }

  /** The same with a reply of the machine's user. */
  failWith(reply: string): null {
    this.#errorCount += 1
    return this.#errorCount > this.options.errorsMax
      ? this.close('tooManyErrors')
      : this.replyText(reply)
  }

  close(reply: CloseReply): null {
    if (this.state.name === 'closed') return null
    this.reply(reply)
    this.isInputLeft = this.input.length > 0
    this.input.clear()
    this.state = { name: 'closed', reply }
    return null
  }

  /** Rejects the mail whose content was just received. */
  reject(mail: MailInProgress<R>, rejection: ContentRejection): Step<R> {
    this.replyText(rejection.reply)
    this.mail = null
    return { kind: 'rejected', transaction: mail, ...rejection }
  }

  /** Resets the session after the TLS handshake, as RFC 3207 requires. */
  restartSecured(): void {
    if (this.state.name !== 'securing') return
    this.state = COMMAND
    this.isSecure = true
    this.isAuthenticated = false
    this.isMailRefused = false
    this.helo = null
    this.mail = null
    this.transcript.keepAsOpening()
  }
}
