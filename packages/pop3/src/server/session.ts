// The session of one client: drives the protocol machine, requests mailboxes and messages, checks
// deadlines. It has no timer: the server calls `tick` once a second.
//
// Its phases and their transitions:
//
//   active     The protocol machine may continue, until it needs input. Leads to all others.
//   yielding   The session continues in the next turn of the event loop, so that a client with
//              many commands does not delay others; then `active`.
//   queued     A message is requested, and has no slot in memory yet; then `handling`.
//   handling   A mailbox or a message is requested; then `yielding`, or `delayed`.
//   securing   The TLS handshake is in progress; then `active`.
//   delayed    The refusal of a wrong password is held back; then `yielding`.
//   draining   The client does not read its replies; `yielding` once it has.
//   closing    The last reply was sent. The client has a few seconds to close.
//   closed     The socket is closed.
//
// Reading is paused after one chunk that arrives while the session is not active, and continues
// when the machine needs input.

import type { Client, ClientSession } from '@mayfly/smtp/listener'
import type { SocketTransport } from '@mayfly/smtp/transport'
import type { Credentials, MessageEntry, Step } from '../protocol/interface.ts'
import { Pop3Protocol } from '../protocol/machine.ts'
import type { Pop3Limits } from './limits.ts'
import type { ReadSlot } from './read-memory.ts'

/** An open mailbox. */
export type Mailbox = {
  /** The owner of the mailbox. The owners alternate in reading messages. */
  readonly owner: string
  /** In the order in which they are numbered. */
  readonly messages: readonly MessageEntry[]
  /** The result of `stuffedContent`; null when the message cannot be read. */
  read(id: string, bodyLines: number | null): Promise<Buffer | null>
  /** Whether all were deleted. */
  delete(ids: readonly string[]): Promise<boolean>
}

/** The response to credentials. */
export type OpenResult =
  | { readonly state: 'opened'; readonly mailbox: Mailbox }
  | { readonly state: 'refused' | 'unavailable' | 'limited' }
  /** Refused with a text of the handler's own, on one line. */
  | { readonly state: 'misdirected'; readonly text: string }

/** The dependencies of a session. */
export type SessionOptions = Client & {
  readonly open: (
    credentials: Credentials,
    client: { readonly remoteAddress: string },
  ) => Promise<OpenResult>
  readonly offersTls: boolean
  readonly limits: Pop3Limits
  /** Requests a slot for a message in memory. */
  readonly requestReadSlot: (owner: string) => ReadSlot
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** The phase of the session, and its start. */
type Phase = {
  readonly name:
    | 'active'
    | 'yielding'
    | 'queued'
    | 'handling'
    | 'securing'
    | 'delayed'
    | 'draining'
    | 'closing'
    | 'closed'
  readonly sinceMs: number
}

/** Bytes of a message written at a time: a client that reads none for a while is gone. */
const WRITTEN_BYTES = 64 * 1024

/** Drives one session from greeting to close. */
export class Session implements ClientSession {
  readonly #options: SessionOptions
  readonly #protocol: Pop3Protocol
  readonly #openedAtMs: number
  readonly #transport: SocketTransport
  #mailbox: Mailbox | null = null
  #phase: Phase
  #activeAtMs: number
  /** When the client connected, logged in or was sent part of a message: NOOP is no progress. */
  #progressAtMs: number
  #refusalCount = 0
  #readSlot: ReadSlot | null = null
  /** Output that the client has not read yet. */
  readonly #pending: Buffer[] = []

  constructor(transport: SocketTransport, options: SessionOptions) {
    this.#transport = transport
    this.#options = options
    const { limits, offersTls } = options
    this.#protocol = new Pop3Protocol({ ...limits, offersTls })
    this.#openedAtMs = options.now()
    this.#activeAtMs = this.#openedAtMs
    this.#progressAtMs = this.#openedAtMs
    this.#phase = { name: 'active', sinceMs: this.#openedAtMs }
  }

  /** Sends the greeting. */
  start(): void {
    this.#run()
  }

  onData(chunk: Buffer): void {
    this.#activeAtMs = this.#options.now()
    this.#protocol.push(chunk)
    if (this.#phase.name === 'active') this.#run()
    // At most the chunk that the socket had read is kept while the machine waits.
    else this.#transport.pauseReading()
  }

  /** The client has read the output. */
  onDrain(): void {
    this.#progressAtMs = this.#options.now()
    if (this.#writePending() && this.#phase.name === 'draining') this.#resume()
  }

  /** A client that closes its sending side has left. */
  onEnd(): void {
    this.#transport.end()
  }

  /** Leaves the queue. A message that is being read keeps its slot until it has been read. */
  onClose(): void {
    if (this.#phase.name !== 'handling') this.#releaseReadSlot()
    this.#enter('closed')
  }

  /** Since when the client has made no progress; null while it waits for our response. */
  get idleSinceMs(): number | null {
    return this.#phase.name === 'handling' ? null : this.#progressAtMs
  }

  /** Closes the session for another client; nothing is deleted. */
  evict(): void {
    this.#endAtOnce('[SYS/TEMP] too many connections, idle ones are closed first')
  }

  /** Nothing is deleted. */
  stop(): void {
    this.abort()
  }

  /** Ends the session; nothing is deleted. */
  abort(): void {
    this.#endAtOnce('[SYS/TEMP] the server is shutting down')
  }

  /** Checks the deadlines. */
  tick(nowMs: number): void {
    const { limits } = this.#options
    const { name, sinceMs } = this.#phase
    const phaseMs = nowMs - sinceMs
    if (name === 'closing') {
      if (phaseMs >= limits.lingerMs) this.#transport.destroy()
    } else if (name === 'delayed' && phaseMs >= limits.refusalDelayMs) {
      this.#protocol.refused('wrong')
      this.#resume()
    } else if (name === 'handling' || name === 'queued' || name === 'securing') {
      if (phaseMs >= limits.handlerMs) this.#transport.destroy()
    } else if (name === 'draining' && phaseMs >= limits.drainMs) this.#transport.destroy()
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

  #endAtOnce(reason: string): void {
    if (this.#phase.name !== 'closing') this.#end(reason)
    this.#transport.destroy()
  }

  #end(reason: string): void {
    this.#protocol.close(reason)
    this.#close()
  }

  /** Continues in the next turn of the event loop, or when the client has read its replies. */
  #resume(): void {
    if (this.#transport.isFull) {
      this.#enter('draining')
      return
    }
    this.#enter('yielding')
    setImmediate(() => {
      // The session may have ended in the meantime.
      if (this.#phase.name !== 'yielding') return
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
      this.#transport.destroy()
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
        this.#transport.resumeReading()
        if (this.#transport.isFull) this.#enter('draining')
    }
  }

  /** Waits for a response; `work` passes it to the machine. */
  #await(work: () => Promise<'responded' | 'delayed'>): void {
    this.#flush()
    this.#enter('handling')
    work().then(
      (result) => {
        if (this.#phase.name !== 'handling') return this.#releaseReadSlot()
        if (result === 'delayed') return this.#enter('delayed')
        this.#activeAtMs = this.#options.now()
        return this.#resume()
      },
      (error: unknown) => {
        this.#releaseReadSlot()
        this.#options.onError(error)
        this.#transport.destroy()
      },
    )
  }

  async #open(credentials: Credentials): Promise<'responded' | 'delayed'> {
    const { open, limits, remoteAddress, isExempt } = this.#options
    const result = await open(credentials, { remoteAddress })
    if (result.state === 'opened') {
      this.#mailbox = result.mailbox
      this.#progressAtMs = this.#options.now()
      this.#protocol.opened(result.mailbox.messages)
      return 'responded'
    }
    if (result.state !== 'refused') {
      this.#protocol.refused(result.state === 'misdirected' ? result : result.state)
      return 'responded'
    }
    this.#refusalCount += 1
    if (!isExempt && this.#refusalCount >= limits.refusalsMax) {
      this.#protocol.close('[AUTH] too many wrong passwords')
    } else if (!isExempt && this.#refusalCount >= limits.refusalsSlowedFrom) return 'delayed'
    else this.#protocol.refused('wrong')
    return 'responded'
  }

  async #read(id: string, bodyLines: number | null): Promise<'responded'> {
    const mailbox = this.#mailbox
    if (mailbox === null) throw new Error('a message was requested before the login')
    // At most 16 KiB of an earlier message remain.
    this.#releaseReadSlot()
    this.#enter('queued')
    this.#readSlot = this.#options.requestReadSlot(mailbox.owner)
    await this.#readSlot.granted
    if (this.#phase.name !== 'queued') return 'responded'
    this.#enter('handling')
    const content = await mailbox.read(id, bodyLines)
    if (content !== null) this.#progressAtMs = this.#options.now()
    this.#protocol.content(content)
    return 'responded'
  }

  async #delete(ids: readonly string[]): Promise<'responded'> {
    this.#protocol.deleted((await this.#mailbox?.delete(ids)) ?? false)
    return 'responded'
  }

  #secure(): void {
    this.#enter('securing')
    const output = Buffer.concat(this.#protocol.takeOutput()).toString('latin1')
    this.#transport.secure(output, () => {
      this.#protocol.secured()
      this.#enter('active')
      this.#run()
    })
  }

  #flush(): void {
    this.#pending.push(...this.#protocol.takeOutput())
    if (!this.#transport.isFull) this.#writePending()
  }

  /** Writes as much as the client reads; false when some remains. */
  #writePending(): boolean {
    let isTaken = false
    this.#transport.cork(() => {
      isTaken = this.#writeParts()
    })
    const { name } = this.#phase
    // A message that is requested now keeps its slot.
    if (isTaken && name !== 'queued' && name !== 'handling') this.#releaseReadSlot()
    // Its time counts from its last read.
    if (!isTaken && name === 'draining') this.#enter('draining')
    return isTaken
  }

  #writeParts(): boolean {
    for (let first = this.#pending.shift(); first !== undefined; first = this.#pending.shift()) {
      const part = first.subarray(0, WRITTEN_BYTES)
      if (part.length < first.length) this.#pending.unshift(first.subarray(part.length))
      if (!this.#transport.write(part)) return false
    }
    return true
  }

  #close(): void {
    this.#enter('closing')
    this.#transport.cork(() => {
      const last = [...this.#pending.splice(0), ...this.#protocol.takeOutput()]
      for (const part of last) this.#transport.write(part)
      this.#transport.end()
    })
  }

  #enter(name: Phase['name']): void {
    this.#phase = { name, sinceMs: this.#options.now() }
  }

  #releaseReadSlot(): void {
    this.#readSlot?.[Symbol.dispose]()
    this.#readSlot = null
  }
}
