// The session of one client: drives the protocol machine, asks for mailboxes and messages, checks
// deadlines. It has no timer: the server calls `tick` once a second.
//
// Its phases and their transitions:
//
//   active     The protocol machine may continue, until it needs input. Leads to all others.
//   turning    The session continues in the next turn of the event loop, so that a client with
//              many commands does not hold up others; then `active`.
//   queued     A message is asked for, and has no place in memory yet; then `handling`.
//   handling   A mailbox or a message is asked for; then `turning`, or `delayed`.
//   securing   The TLS handshake is in progress; then `active`.
//   delayed    The refusal of a wrong password is held back; then `turning`.
//   draining   The client does not read its replies; `turning` once it has.
//   closing    The last reply was sent. The client has a few seconds to close.
//   closed     The socket is closed.
//
// Reading is paused after one chunk that arrives while the session is not active, and goes on when
// the machine needs input.

import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import type { Credentials, MessageEntry, Step } from '../protocol/interface.ts'
import { Pop3Protocol } from '../protocol/machine.ts'
import type { Pop3Limits } from './limits.ts'
import type { ReadPlace } from './read-places.ts'

/** An open mailbox. */
export type Mailbox = {
  /** Whose it is. The owners of mailboxes take turns in reading messages. */
  readonly owner: string
  /** In the order in which they are numbered. */
  readonly messages: readonly MessageEntry[]
  /** The result of `stuffedContent`; null when the message cannot be read. */
  read(id: string, bodyLines: number | null): Promise<Buffer | null>
  /** Whether all were deleted. */
  delete(ids: readonly string[]): Promise<boolean>
}

/** The answer to credentials. */
export type OpenResult =
  | { readonly state: 'opened'; readonly mailbox: Mailbox }
  | { readonly state: 'refused' | 'unavailable' | 'limited' }

/** What a session needs. */
export type SessionOptions = {
  readonly open: (
    credentials: Credentials,
    client: { readonly remoteAddress: string },
  ) => Promise<OpenResult>
  readonly secureContext: SecureContext | null
  readonly limits: Pop3Limits
  readonly remoteAddress: string
  /** Whether the client may try any number of passwords. */
  readonly isExempt: boolean
  /** Asks for one of the places for messages in memory. */
  readonly requestReadPlace: (owner: string) => ReadPlace
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** What the session is doing, and since when. */
type Phase = {
  readonly name:
    | 'active'
    | 'turning'
    | 'queued'
    | 'handling'
    | 'securing'
    | 'delayed'
    | 'draining'
    | 'closing'
    | 'closed'
  readonly sinceMs: number
}

/** Bytes of a message written at a time: a client that takes none in a while is gone. */
const WRITTEN_BYTES = 64 * 1024

/** Drives one session from greeting to close. */
export class Session {
  readonly #options: SessionOptions
  readonly #protocol: Pop3Protocol
  readonly #openedAtMs: number
  #socket: Socket
  #mailbox: Mailbox | null = null
  #phase: Phase
  #activeAtMs: number
  /** When the client connected, logged in or was sent part of a message: NOOP is no progress. */
  #progressAtMs: number
  #refusalCount = 0
  #readPlace: ReadPlace | null = null
  /** Output that the client has not taken yet. */
  readonly #pending: Buffer[] = []

  constructor(socket: Socket, options: SessionOptions) {
    this.#socket = socket
    this.#options = options
    const { limits, secureContext } = options
    this.#protocol = new Pop3Protocol({ ...limits, offersTls: secureContext !== null })
    this.#openedAtMs = options.now()
    this.#activeAtMs = this.#openedAtMs
    this.#progressAtMs = this.#openedAtMs
    this.#phase = { name: 'active', sinceMs: this.#openedAtMs }
  }

  /** Sends the greeting. */
  start(): void {
    // The cause does not matter: 'close' follows.
    this.#socket.on('error', () => undefined)
    this.#socket.once('close', () => this.#onClose())
    this.#attach()
    this.#run()
  }

  /** Since when the client has made no progress; null while it waits for our answer. */
  get idleSinceMs(): number | null {
    const { name } = this.#phase
    const isOurs = name === 'handling' || name === 'closing' || name === 'closed'
    return isOurs ? null : this.#progressAtMs
  }

  /** Makes room for another client; nothing is deleted. */
  evict(): void {
    this.#end('[SYS/TEMP] too many connections, idle ones are closed first')
    this.destroy()
  }

  /** Leaves the queue. A message that is being read keeps its place until it has been read. */
  #onClose(): void {
    if (this.#phase.name !== 'handling') this.#releaseReadPlace()
    this.#enter('closed')
  }

  /** Ends the session; nothing is deleted. */
  stop(): void {
    if (this.#phase.name === 'closing' || this.#phase.name === 'closed') return
    this.#end('[SYS/TEMP] the server is shutting down')
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** Checks the deadlines. */
  tick(nowMs: number): void {
    const { limits } = this.#options
    const { name, sinceMs } = this.#phase
    const phaseMs = nowMs - sinceMs
    if (name === 'closing') {
      if (phaseMs >= limits.lingerMs) this.destroy()
    } else if (name === 'delayed' && phaseMs >= limits.refusalDelayMs) {
      this.#protocol.refused('wrong')
      this.#resume()
    } else if (name === 'handling' || name === 'queued' || name === 'securing') {
      if (phaseMs >= limits.handlerMs) this.destroy()
    } else if (name === 'draining' && phaseMs >= limits.drainMs) this.destroy()
    else this.#checkSession(nowMs)
  }

  #checkSession(nowMs: number): void {
    const { limits } = this.#options
    const isLate =
      nowMs - this.#openedAtMs >= limits.sessionMs ||
      nowMs - this.#activeAtMs >= limits.idleMs ||
      (this.#mailbox === null && nowMs - this.#openedAtMs >= limits.loginMs)
    if (isLate) this.#end('[SYS/TEMP] the time of this session is up')
  }

  #end(reason: string): void {
    this.#protocol.close(reason)
    this.#close()
  }

  #attach(): void {
    this.#socket.on('data', (chunk: Buffer) => {
      this.#activeAtMs = this.#options.now()
      this.#protocol.push(chunk)
      if (this.#phase.name === 'active') this.#run()
      // At most what the socket had read is kept while the machine waits.
      else this.#socket.pause()
    })
    this.#socket.on('drain', () => {
      this.#progressAtMs = this.#options.now()
      if (this.#writePending() && this.#phase.name === 'draining') this.#resume()
    })
  }

  /** Continues in the next turn of the event loop, or when the client has read its replies. */
  #resume(): void {
    if (this.#socket.writableNeedDrain) {
      this.#enter('draining')
      return
    }
    this.#enter('turning')
    setImmediate(() => {
      // The session may have ended in the meantime.
      if (this.#phase.name !== 'turning') return
      this.#enter('active')
      this.#run()
    })
  }

  #run(): void {
    try {
      this.#do(this.#protocol.advance())
    } catch (error) {
      // A bug must end this session only, not the others.
      this.#options.onError(error)
      this.destroy()
    }
  }

  #do(step: Step): void {
    switch (step.kind) {
      case 'credentials':
        this.#await(() => this.#open(step.credentials))
        break
      case 'content':
        this.#await(() => this.#read(step.id, step.bodyLines))
        break
      case 'delete':
        this.#await(() => this.#delete(step.ids))
        break
      case 'secure':
        this.#secure()
        break
      case 'closed':
        this.#close()
        break
      case 'output_full':
        this.#flush()
        this.#resume()
        break
      default:
        this.#flush()
        this.#socket.resume()
        if (this.#socket.writableNeedDrain) this.#enter('draining')
    }
  }

  /** Waits for an answer; `work` gives it to the machine. */
  #await(work: () => Promise<'answered' | 'delayed'>): void {
    this.#flush()
    this.#enter('handling')
    work().then(
      (result) => {
        if (this.#phase.name !== 'handling') return this.#releaseReadPlace()
        if (result === 'delayed') return this.#enter('delayed')
        this.#activeAtMs = this.#options.now()
        return this.#resume()
      },
      (error: unknown) => {
        this.#releaseReadPlace()
        this.#options.onError(error)
        this.destroy()
      },
    )
  }

  async #open(credentials: Credentials): Promise<'answered' | 'delayed'> {
    const { open, limits, remoteAddress, isExempt } = this.#options
    const result = await open(credentials, { remoteAddress })
    if (result.state === 'opened') {
      this.#mailbox = result.mailbox
      this.#progressAtMs = this.#options.now()
      this.#protocol.opened(result.mailbox.messages)
      return 'answered'
    }
    if (result.state !== 'refused') {
      this.#protocol.refused(result.state)
      return 'answered'
    }
    this.#refusalCount += 1
    if (!isExempt && this.#refusalCount >= limits.refusalsMax) {
      this.#protocol.close('[AUTH] too many wrong passwords')
    } else if (!isExempt && this.#refusalCount >= limits.refusalsSlowedFrom) return 'delayed'
    else this.#protocol.refused('wrong')
    return 'answered'
  }

  async #read(id: string, bodyLines: number | null): Promise<'answered'> {
    const mailbox = this.#mailbox
    if (mailbox === null) throw new Error('a message was asked for before the login')
    // At most 16 KiB of an earlier message are left.
    this.#releaseReadPlace()
    this.#enter('queued')
    this.#readPlace = this.#options.requestReadPlace(mailbox.owner)
    await this.#readPlace.granted
    if (this.#phase.name !== 'queued') return 'answered'
    this.#enter('handling')
    const content = await mailbox.read(id, bodyLines)
    if (content !== null) this.#progressAtMs = this.#options.now()
    this.#protocol.content(content)
    return 'answered'
  }

  async #delete(ids: readonly string[]): Promise<'answered'> {
    this.#protocol.deleted((await this.#mailbox?.delete(ids)) ?? false)
    return 'answered'
  }

  #secure(): void {
    const { secureContext } = this.#options
    if (secureContext === null) {
      this.destroy()
      return
    }
    const plain = this.#socket
    plain.removeAllListeners('data').removeAllListeners('drain').removeAllListeners('end')
    plain.pause()
    this.#enter('securing')
    const output = Buffer.concat(this.#protocol.takeOutput())
    // Not before the reply is written: from then on the socket belongs to TLS.
    plain.write(output, (error) => {
      if (error || plain.destroyed) return this.destroy()
      const secured = new TLSSocket(plain, { isServer: true, secureContext })
      secured.on('error', () => plain.destroy())
      secured.once('secure', () => {
        this.#socket = secured
        this.#protocol.secured()
        this.#enter('active')
        this.#attach()
        this.#run()
      })
    })
  }

  #flush(): void {
    this.#pending.push(...this.#protocol.takeOutput())
    if (!this.#socket.writableNeedDrain) this.#writePending()
  }

  /** Writes what the client takes; false when some is left. */
  #writePending(): boolean {
    // One system call for all replies.
    this.#socket.cork()
    const isTaken = this.#writeParts()
    this.#socket.uncork()
    const { name } = this.#phase
    // A message that is asked for now keeps its place.
    if (isTaken && name !== 'queued' && name !== 'handling') this.#releaseReadPlace()
    // Its time counts from what it took last.
    if (!isTaken && name === 'draining') this.#enter('draining')
    return isTaken
  }

  #writeParts(): boolean {
    for (let first = this.#pending.shift(); first !== undefined; first = this.#pending.shift()) {
      const part = first.subarray(0, WRITTEN_BYTES)
      if (part.length < first.length) this.#pending.unshift(first.subarray(part.length))
      if (!this.#socket.write(part)) return false
    }
    return true
  }

  #close(): void {
    this.#enter('closing')
    this.#socket.cork()
    for (const part of [...this.#pending, ...this.#protocol.takeOutput()]) this.#socket.write(part)
    this.#pending.length = 0
    this.#socket.end()
    this.#socket.resume()
  }

  #enter(name: Phase['name']): void {
    this.#phase = { name, sinceMs: this.#options.now() }
  }

  #releaseReadPlace(): void {
    this.#readPlace?.[Symbol.dispose]()
    this.#readPlace = null
  }
}
