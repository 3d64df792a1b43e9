// The server side of POP3 (RFC 1939) as a state machine: bytes in, replies and steps out.
//
// It uses no socket, clock or store. Its user pushes bytes as they arrive, split anywhere, and
// calls `advance` until it returns 'needs_input'; `takeOutput` returns the replies, in order, and
// must be called at 'output_full'. A step with a request ('credentials', 'content', 'delete',
// 'secure') stops the machine until the response: pipelined commands wait, and replies keep the
// order of the commands.
//
// The states and their transitions:
//
//   authorization  A session begins here, with the greeting as output. USER keeps a name, PASS
//                  after it goes to `asking`. STLS goes to `securing`. CAPA is answered. QUIT goes
//                  to `closed`.
//   transaction    The messages are fixed: what arrives later is not among them. STAT, LIST, UIDL,
//                  NOOP, CAPA are answered. DELE marks a message, RSET unmarks all. RETR and TOP go
//                  to `asking`. QUIT goes to `asking` when messages are marked, or to `closed`.
//   asking         Waits for `opened` or `refused`, for `content`, or for `deleted`; then goes to
//                  `transaction`, back to `authorization`, or, after QUIT, to `closed`.
//   securing       Waits for `secured`, then goes to `authorization` without a user name. Bytes
//                  before that are dropped: they may have been injected before TLS.
//   closed         Ignores all input. Entered by QUIT, too many errors, a line without end, and
//                  `close`. Messages that were marked are deleted by QUIT alone.
//
// An invalid command counts as an error; too many of them close the session.

import { Input } from '@mayfly/smtp/input'
import type { MessageEntry, Pop3Options, Step } from './interface.ts'

type State =
  | { readonly name: 'authorization'; readonly username: string | null }
  | { readonly name: 'transaction' }
  | { readonly name: 'asking'; readonly for: 'credentials' | 'content' | 'delete' }
  | { readonly name: 'securing' | 'closed' }

const AUTHORIZATION: State = { name: 'authorization', username: null }
const TRANSACTION: State = { name: 'transaction' }
const NEEDS_INPUT: Step = { kind: 'needs_input' }
const OUTPUT_FULL: Step = { kind: 'output_full' }
const WAITING: Step = { kind: 'waiting' }
const CLOSED: Step = { kind: 'closed' }

const CAPABILITIES = ['TOP', 'UIDL', 'USER', 'RESP-CODES', 'AUTH-RESP-CODE', 'PIPELINING']

/** Output after which `takeOutput` must be called: a client may send commands and never read. */
const OUTPUT_BYTES_MAX = 16 * 1024

/** Largest number of lines for TOP; no message has more. */
const LINES_DIGITS = /^\d{1,9}$/

/** The machine of one session. */
export class Pop3Protocol {
  readonly #options: Pop3Options
  readonly #input: Input
  readonly #deleted = new Set<number>()
  #state: State = AUTHORIZATION
  #output: Buffer[] = []
  #outputBytes = 0
  #messages: readonly MessageEntry[] = []
  #messagesBytes = 0
  #deletedBytes = 0
  /** The replies to LIST and UIDL, until DELE or RSET changes them. */
  readonly #listings = new Map<string, Buffer>()
  #isSecure = false
  #errorCount = 0

  constructor(options: Pop3Options) {
    this.#options = options
    this.#input = new Input(options.lineBytesMax)
    this.#ok('Mayfly POP3 server ready')
  }

  push(chunk: Buffer): void {
    if (this.#state.name !== 'closed' && this.#state.name !== 'securing') this.#input.push(chunk)
  }

  /** Processes the input until there is something to report. */
  advance(): Step {
    for (;;) {
      if (this.#outputBytes > OUTPUT_BYTES_MAX) return OUTPUT_FULL
      if (this.#state.name === 'closed') return CLOSED
      if (this.#state.name === 'asking' || this.#state.name === 'securing') return WAITING
      const line = this.#input.readLine()
      if (line.kind === 'partial') return NEEDS_INPUT
      if (line.kind === 'endless') this.close('line far too long')
      else if (line.kind === 'line') {
        const step = this.#execute(line.text)
        if (step !== null) return step
      } else this.#fail(line.kind === 'too_long' ? 'line too long' : 'lines must end with CRLF')
    }
  }

  /** The replies since the last call, in order. */
  takeOutput(): readonly Buffer[] {
    const output = this.#output
    this.#output = []
    this.#outputBytes = 0
    return output
  }

  /** Responds to 'credentials': the client has logged in to a mailbox with these messages. */
  opened(messages: readonly MessageEntry[]): void {
    this.#state = TRANSACTION
    this.#messages = messages
    this.#messagesBytes = messages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    this.#ok(`${messages.length} messages`)
  }

  /** Responds to 'credentials': they are wrong, cannot be checked now, or are used too often. */
  refused(why: 'wrong' | 'unavailable' | 'limited' | { readonly text: string }): void {
    this.#state = AUTHORIZATION
    if (typeof why === 'object') this.#error(`[AUTH] ${why.text}`)
    else if (why === 'wrong') this.#fail('[AUTH] user name or password is wrong')
    else if (why === 'limited')
      this.#error('[LOGIN-DELAY] too many requests, try again in a minute')
    else this.#error('[SYS/TEMP] storage is unavailable, try again later')
  }

  /** Responds to 'content', with the result of `stuffedContent`; null when it cannot be read. */
  content(stuffed: Buffer | null): void {
    this.#state = TRANSACTION
    if (stuffed === null) this.#error('[SYS/TEMP] this message cannot be read')
    else {
      this.#ok('message follows')
      this.#put(stuffed)
    }
  }

  /** Responds to 'delete': whether all messages were deleted. */
  deleted(isDone: boolean): void {
    if (isDone) this.#ok('goodbye')
    else this.#error('[SYS/TEMP] some messages were not deleted')
    this.#end()
  }

  /** Responds to 'secure': the handshake is done. */
  secured(): void {
    this.#state = AUTHORIZATION
    this.#isSecure = true
  }

  /** Ends the session from any state; nothing is deleted. */
  close(reason: string): void {
    if (this.#state.name === 'closed') return
    this.#error(reason)
    this.#end()
  }

  #end(): void {
    this.#input.clear()
    this.#state = { name: 'closed' }
  }

  #execute(line: string): Step | null {
    const [verb = '', ...args] = line.split(' ')
    const name = verb.toUpperCase()
    if (name === 'CAPA') return this.#put(multiLine('capabilities', this.#capabilities()))
    if (name === 'QUIT') return this.#quit()
    if (this.#state.name === 'authorization') {
      return this.#authorize(name, line.slice(verb.length + 1), this.#state.username)
    }
    return this.#transact(name, args)
  }

  #authorize(verb: string, argument: string, username: string | null): Step | null {
    switch (verb) {
      case 'USER':
        if (argument === '') return this.#fail('USER needs a name')
        this.#state = { name: 'authorization', username: utf8(argument) }
        return this.#ok('password, please')
      case 'PASS':
        if (username === null) return this.#fail('send USER first')
        this.#state = { name: 'asking', for: 'credentials' }
        return { kind: 'credentials', credentials: { username, password: utf8(argument) } }
      case 'STLS':
        if (!this.#options.offersTls || this.#isSecure) return this.#fail('STLS is not offered')
        this.#ok('begin TLS')
        this.#input.clear()
        this.#state = { name: 'securing' }
        return { kind: 'secure' }
      default:
        return this.#fail('log in first, by USER and PASS')
    }
  }

  #transact(verb: string, args: readonly string[]): Step | null {
    switch (verb) {
      case 'STAT':
        return this.#ok(this.#total())
      case 'NOOP':
        return this.#ok('')
      case 'RSET':
        if (this.#deleted.size > 0) this.#listings.clear()
        this.#deleted.clear()
        this.#deletedBytes = 0
        return this.#ok(this.#total())
      case 'LIST':
      case 'UIDL':
        return this.#list(verb, args)
      case 'DELE':
        return this.#withMessage(args, ({ sizeBytes }, index) => {
          this.#deleted.add(index)
          this.#deletedBytes += sizeBytes
          this.#listings.clear()
          return this.#ok('marked')
        })
      case 'RETR':
        return this.#withMessage(args, ({ id }) =>
          this.#ask({ kind: 'content', id, bodyLines: null }),
        )
      case 'TOP': {
        const [, lines = ''] = args
        if (!LINES_DIGITS.test(lines))
          return this.#fail('TOP needs a message and a number of lines')
        const bodyLines = Number(lines)
        return this.#withMessage(args, ({ id }) => this.#ask({ kind: 'content', id, bodyLines }))
      }
      default:
        return this.#fail('unknown command')
    }
  }

  #ask(step: Extract<Step, { kind: 'content' | 'delete' }>): Step {
    this.#state = { name: 'asking', for: step.kind }
    return step
  }

  #quit(): Step | null {
    if (this.#deleted.size === 0) {
      this.#ok('goodbye')
      this.#end()
      return null
    }
    const ids = this.#messages.flatMap(({ id }, index) => (this.#deleted.has(index) ? [id] : []))
    return this.#ask({ kind: 'delete', ids })
  }

  #list(verb: 'LIST' | 'UIDL', args: readonly string[]): Step | null {
    const describe = ({ id, sizeBytes }: MessageEntry) => (verb === 'UIDL' ? id : sizeBytes)
    if (args.length > 0) {
      return this.#withMessage(args, (message, i) => this.#ok(`${i + 1} ${describe(message)}`))
    }
    const listing = this.#listings.get(verb) ?? this.#listing(describe)
    this.#listings.set(verb, listing)
    return this.#put(listing)
  }

  #listing(describe: (message: MessageEntry) => string | number): Buffer {
    const lines = this.#messages.flatMap((message, i) =>
      this.#deleted.has(i) ? [] : [`${i + 1} ${describe(message)}`],
    )
    return multiLine(`${lines.length} messages`, lines)
  }

  /** With the message of the first argument, unless it is marked as deleted. */
  #withMessage(
    [number = '']: readonly string[],
    act: (message: MessageEntry, index: number) => Step | null,
  ): Step | null {
    const index = /^\d{1,9}$/.test(number) ? Number(number) - 1 : -1
    const message = this.#messages[index]
    if (message === undefined || this.#deleted.has(index)) return this.#fail('no such message')
    return act(message, index)
  }

  #total(): string {
    const count = this.#messages.length - this.#deleted.size
    return `${count} ${this.#messagesBytes - this.#deletedBytes}`
  }

  #capabilities(): string[] {
    const offersTls = this.#options.offersTls && !this.#isSecure
    return [...CAPABILITIES, ...(offersTls ? ['STLS'] : []), 'IMPLEMENTATION Mayfly']
  }

  // These return null, "no step", so that a command can end with one of them.

  #ok(text: string): null {
    return this.#reply(text === '' ? '+OK' : `+OK ${text}`)
  }

  #error(text: string): null {
    return this.#reply(`-ERR ${text}`)
  }

  #reply(text: string): null {
    return this.#put(Buffer.from(`${text}\r\n`, 'latin1'))
  }

  #put(bytes: Buffer): null {
    this.#output.push(bytes)
    this.#outputBytes += bytes.length
    return null
  }

  /** Replies to an error of the client; too many of them close the session. */
  #fail(text: string): null {
    this.#errorCount += 1
    if (this.#errorCount > this.#options.errorsMax) this.close('too many errors')
    else this.#error(text)
    return null
  }
}

function multiLine(text: string, lines: readonly string[]): Buffer {
  return Buffer.from([`+OK ${text}`, ...lines, '.\r\n'].join('\r\n'), 'latin1')
}

/** A text that was read with one character per byte. */
function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
