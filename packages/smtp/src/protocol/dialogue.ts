import type { AuthStage } from './auth.ts'
import type { Body, DataReader } from './body.ts'
import { Input } from './input.ts'
import { REPLIES } from './replies.ts'
import type { RefusedReason, Step, Transaction } from './steps.ts'
import { Transcript } from './transcript.ts'

/** What one session of the machine is told. */
export type ProtocolOptions = {
  readonly hostname: string
  /** Whether STARTTLS is offered. */
  readonly offersTls: boolean
  /** Whether AUTH is offered; whoever comes is let in. */
  readonly acceptsAnyAuth: boolean
  readonly messageBytesMax: number
  readonly recipientsMax: number
  readonly lineBytesMax: number
  readonly errorsMax: number
}

/** The state of the machine, told in protocol.ts. */
export type State =
  | { readonly name: 'command' | 'asking' | 'storing' | 'securing' }
  | { readonly name: 'authing'; readonly stage: AuthStage }
  | { readonly name: 'data'; readonly reader: DataReader }
  | ChunkState
  | { readonly name: 'closed'; readonly reply: string }

/** A chunk of BDAT on its way in. */
export type ChunkState = {
  readonly name: 'chunk'
  readonly sizeBytes: number
  readonly isLast: boolean
  /** The reply that refuses the command, or null. */
  readonly refusal: string | null
  remainingBytes: number
}

/** A mail under way, as the machine itself sees it. */
export type Mail<R> = Transaction<R> & {
  readonly recipients: R[]
  hasRefusedRecipient: boolean
  /** Why the rest of it is not kept, once that is so. */
  refusal: { readonly reason: RefusedReason; readonly reply: string } | null
  /** What came by BDAT, from the first chunk on. */
  body: Body | null
}

/** The state to which all others return. */
export const COMMAND: State = { name: 'command' }

/** All that the machine remembers of a session. Its methods return what a move returns. */
export class Dialogue<R> {
  readonly options: ProtocolOptions
  readonly input: Input
  readonly transcript = new Transcript()
  state: State = COMMAND
  output = ''
  helo: { readonly name: string; readonly isExtended: boolean } | null = null
  mail: Mail<R> | null = null
  isSecure = false
  isAuthenticated = false
  /** The last MAIL was refused: what a client sent ahead of that answer is no error of its own. */
  isMailRefused = false
  #errorCount = 0

  constructor(options: ProtocolOptions) {
    this.options = options
    this.input = new Input(options.lineBytesMax)
  }

  reply(text: string): null {
    this.output += `${text}\r\n`
    this.transcript.server(text)
    return null
  }

  /** A reply to what the client did wrong. */
  fail(text: string): null {
    this.#errorCount += 1
    return this.#errorCount > this.options.errorsMax
      ? this.close(REPLIES.tooManyErrors)
      : this.reply(text)
  }

  close(reply: string): null {
    if (this.state.name === 'closed') return null
    this.reply(reply)
    this.input.clear()
    this.state = { name: 'closed', reply }
    return null
  }

  /** Refuses the mail that just came in, and forgets it. */
  turnAway(mail: Mail<R>, refusal: { reason: RefusedReason; reply: string }): Step<R> {
    this.reply(refusal.reply)
    this.mail = null
    return { kind: 'turned_away', transaction: mail, ...refusal }
  }

  /** After the TLS handshake nothing said before it holds. */
  startOverSecured(): void {
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
