// The session of one client: drives the protocol machine, calls the handler, checks deadlines.
//
// While the machine cannot continue, at most one chunk of input is kept and reading is paused.
// A session has no timer: the server calls `tick` once a second.

import type { Transport } from '../listener/transport.ts'
import type { Credentials, ProtocolOptions, Step, Transaction } from '../protocol/interface.ts'
import { SmtpProtocol } from '../protocol/machine.ts'
import { type CloseReply, REPLIES } from '../protocol/replies.ts'
import {
  type AdmitResult,
  type AdmitSenderResult,
  type Envelope,
  LOSS_REASONS,
  REFUSAL_REPLIES,
  type Recipient,
  type RejectReason,
  receiveReply,
  type SafeHandler,
  type User,
} from './handler.ts'
import type { SmtpLimits } from './limits.ts'
import { checkDeadlines, type Phase, type SessionClock } from './session-phase.ts'
import { tlsFailure } from './tls-failure.ts'

/** Memory that all sessions together use for mails that are not stored yet. */
type InFlight = {
  /** Adds to the shared usage; returns the total. */
  addBytes(change: number): number
}

/** The dependencies of a session. */
export type SessionOptions<R extends Recipient> = {
  readonly handler: SafeHandler<R>
  readonly protocol: ProtocolOptions
  readonly limits: SmtpLimits
  readonly remoteAddress: string
  /** Whether the client may try any number of unknown recipients. */
  readonly isExempt: boolean
  readonly inFlight: InFlight
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

const ACTIVE: Phase = { name: 'active' }

/** Drives one session from greeting to close. */
export class Session<R extends Recipient> {
  readonly #transport: Transport
  readonly #options: SessionOptions<R>
  readonly #protocol: SmtpProtocol<R>
  readonly #clock: SessionClock
  /** When the client connected, sent part of a mail or had one stored: NOOP is no progress. */
  #progressAtMs: number
  #phase: Phase = ACTIVE
  #tls: string | null = null
  /** The client's name before TLS, which a handshake resets. */
  #helo: string | null = null
  #user: User | null = null
  #refusedCount = 0
  #guessCount = 0
  #storingBytes = 0
  /** This session's share of the memory in use. */
  #countedBytes = 0
  #isInputEnded = false
  /** Whether nothing has arrived since the TLS handshake. */
  #isSilentSinceTls = false
  #isStopping = false

  constructor(transport: Transport, options: SessionOptions<R>) {
    this.#transport = transport
    this.#options = options
    this.#protocol = new SmtpProtocol(options.protocol)
    const nowMs = options.now()
    this.#clock = { openedAtMs: nowMs, activeAtMs: nowMs, content: null }
    this.#progressAtMs = nowMs
  }

  /** Sends the greeting. */
  start(): void {
    this.#run()
  }

  onData(chunk: Buffer): void {
    if (this.#phase.name === 'closing') return
    this.#clock.activeAtMs = this.#options.now()
    this.#isSilentSinceTls = false
    if (this.#clock.content !== null) {
      this.#clock.content.bytes += chunk.length
      this.#progressAtMs = this.#clock.activeAtMs
    }
    this.#protocol.push(chunk)
    if (this.#phase.name === 'active') this.#run()
    else this.#transport.pauseReading()
  }

  /** The client has read the output. */
  onDrain(): void {
    if (this.#phase.name !== 'draining') return
    this.#phase = ACTIVE
    this.#run()
  }

  /** The client has closed its sending side; it may still read. */
  onEnd(): void {
    this.#isInputEnded = true
    if (this.#phase.name === 'active') this.#run()
  }

  onClose(tlsError: Error | null): void {
    const { transaction, isMidMail } = this.#protocol
    this.#reportHandshake(tlsError)
    if (transaction !== null && isMidMail) {
      this.#reportRejected(transaction, REPLIES.connectionLost, 'connection_lost')
    }
    this.#phase = { name: 'closed' }
    this.#countMemory(this.#storingBytes)
  }

  /** Ends the session once the mail in progress, if any, is received. */
  stop(): void {
    this.#isStopping = true
    if (this.#phase.name === 'active') this.#run()
    else if (this.#phase.name === 'securing') this.#transport.destroy()
  }

  /** Ends the session at once, even in the middle of a mail. */
  abort(): void {
    const { name } = this.#phase
    if (name !== 'closed' && name !== 'closing') this.#closeWith('shuttingDown')
  }

  /** Since when the client has made no progress; null while it waits for us. */
  get idleSinceMs(): number | null {
    return this.#phase.name === 'handling' ? null : this.#progressAtMs
  }

  /** Ends the session for another client, without waiting for this one to close. */
  evict(): void {
    if (this.#phase.name !== 'closing') this.#closeWith('evicted')
    this.#transport.destroy()
  }

  /** Checks the deadlines. */
  tick(nowMs: number): void {
    const { limits } = this.#options
    const action = checkDeadlines(this.#phase, this.#clock, { limits, nowMs })
    if (action.kind === 'destroy') this.#transport.destroy()
    if (action.kind === 'close') this.#closeWith(action.reply)
    if (action.kind !== 'refuse') return
    this.#phase = ACTIVE
    this.#protocol.refuse(action.reply)
    this.#run()
  }

  #closeWith(reply: CloseReply): void {
    this.#phase = ACTIVE
    this.#protocol.close(reply)
    this.#run()
  }

  #run(): void {
    try {
      while (this.#phase.name === 'active' && this.#do(this.#protocol.advance())) {}
    } catch (error) {
      // A bug must end this session only, not the others.
      this.#options.onError(error)
      this.#transport.destroy()
    }
  }

  /** False when all input has been processed. */
  #do(step: Step<R>): boolean {
    switch (step.kind) {
      case 'sender':
        this.#admitSender(step.transaction)
        return true
      case 'recipient':
        this.#admit(step)
        return true
      case 'credentials':
        this.#authenticate(step.credentials)
        return true
      case 'mail':
        this.#receive(step)
        return true
      case 'rejected':
        this.#reportRejected(step.transaction, step.reply, step.reason)
        return true
      case 'secure':
        this.#secure()
        return true
      case 'output_full':
        this.#flush()
        return true
      case 'closed':
        this.#close(step.reply)
        return false
      default:
        return !this.#waitForInput()
    }
  }

  /** False when the session must end instead. */
  #waitForInput(): boolean {
    const lastReply = this.#lastReply()
    if (lastReply !== null) {
      this.#protocol.close(lastReply)
      return false
    }
    this.#flush()
    this.#timeContent()
    this.#updateMemory()
    this.#transport.resumeReading()
    return true
  }

  /** The reply with which the session must end now that all input is processed, or null. */
  #lastReply(): CloseReply | null {
    const { isMidMail } = this.#protocol
    if (this.#isInputEnded) return isMidMail ? 'connectionLost' : 'goodbye'
    return this.#isStopping && !isMidMail ? 'shuttingDown' : null
  }

  #flush(): void {
    const output = this.#protocol.takeOutput()
    if (output === '' || this.#transport.write(output)) return
    if (this.#phase.name === 'active') this.#phase = { name: 'draining' }
  }

  #admitSender(transaction: Transaction<R>): void {
    const result = this.#options.handler.admitSender(this.#envelope(transaction))
    if (result instanceof Promise)
      this.#await(result, (admitted) => this.#applySenderResult(admitted))
    else this.#applySenderResult(result)
  }

  #applySenderResult(result: AdmitSenderResult): void {
    if (result.state === 'accepted') this.#protocol.admitSender()
    else if (result.why === 'fault') this.#protocol.refuse(result.reply)
    else this.#protocol.refuse(REFUSAL_REPLIES[result.why])
  }

  #admit({ address, transaction }: Step<R> & { readonly kind: 'recipient' }): void {
    const result = this.#options.handler.admit(address, this.#envelope(transaction))
    if (result instanceof Promise)
      this.#await(result, (admitted) => this.#applyRecipientResult(admitted))
    else this.#applyRecipientResult(result)
  }

  #applyRecipientResult(result: AdmitResult<R>): void {
    if (result.state === 'accepted') this.#protocol.admit(result.recipient)
    else if (result.why === 'unknown') this.#refuseSlowly(REFUSAL_REPLIES.unknown, 'tooManyUnknown')
    else if (result.why === 'full') this.#refuseSlowly(REFUSAL_REPLIES.full, null)
    else if (result.why === 'fault') this.#protocol.refuse(result.reply)
    else this.#protocol.refuse(REFUSAL_REPLIES[result.why])
  }

  #authenticate(credentials: Credentials): void {
    const { handler, remoteAddress } = this.#options
    this.#await(handler.authenticate(credentials, { remoteAddress }), (result) => {
      if (result.state === 'accepted') {
        this.#user = { name: credentials.username, identity: result.identity }
        this.#protocol.authenticated()
      } else if (result.state === 'refused') {
        this.#refuseSlowly(REPLIES.badCredentials, 'tooManyErrors')
      } else if (result.state === 'fault') {
        this.#protocol.refuse(result.reply)
      } else {
        this.#protocol.refuse(REPLIES.authFailing)
      }
    })
  }

  /**
   * Refuses a possible guess: `guessReply` ends the session after too many guesses, null when it is
   * none. Storage failures are ours and do not count.
   */
  #refuseSlowly(reply: string, guessReply: CloseReply | null): void {
    const { limits, now, isExempt } = this.#options
    this.#refusedCount += 1
    if (guessReply !== null) this.#guessCount += 1
    if (isExempt || this.#refusedCount < limits.refusalsSlowedFrom) {
      this.#protocol.refuse(reply)
    } else if (guessReply !== null && this.#guessCount >= limits.unknownMax) {
      this.#protocol.close(guessReply)
    } else {
      this.#flush()
      this.#phase = { name: 'delayed', sinceMs: now(), reply }
    }
  }

  #receive(step: Step<R> & { readonly kind: 'mail' }): void {
    const { transaction, raw, transcript, transmission: protocol } = step
    const { recipients } = transaction
    const mail = { envelope: this.#envelope(transaction), recipients, raw, transcript, protocol }
    this.#storingBytes = raw.length
    this.#updateMemory()
    this.#await(this.#options.handler.receive(mail), (result) => {
      const reply = receiveReply(result)
      if (reply.startsWith('2')) this.#progressAtMs = this.#options.now()
      this.#protocol.settle(reply)
      if (result === 'failed') this.#reportRejected(transaction, reply, 'handler_failed')
    })
  }

  /** Waits for the handler. The machine waits too, so there is only one response at a time. */
  #await<T>(result: Promise<T>, then: (result: T) => void): void {
    const { now } = this.#options
    this.#flush()
    const phase: Phase = { name: 'handling', sinceMs: now() }
    this.#phase = phase
    // Does not reject: the handler is a SafeHandler.
    void result.then((value) => {
      this.#storingBytes = 0
      // The session may have ended or timed out in the meantime.
      if (this.#phase !== phase) return this.#updateMemory()
      this.#phase = ACTIVE
      this.#clock.activeAtMs = now()
      then(value)
      this.#run()
    })
  }

  #secure(): void {
    const { now } = this.#options
    this.#phase = { name: 'securing', sinceMs: now() }
    this.#transport.secure(this.#protocol.takeOutput(), (tlsProtocol) => {
      this.#tls = tlsProtocol
      this.#isSilentSinceTls = true
      this.#helo = this.#protocol.helo
      this.#user = null
      this.#protocol.secured()
      this.#clock.activeAtMs = now()
      this.#phase = ACTIVE
      this.#run()
    })
  }

  #close(reply: CloseReply): void {
    const { transaction } = this.#protocol
    const reason = LOSS_REASONS[reply]
    if (transaction !== null && reason !== null) {
      this.#reportRejected(transaction, REPLIES[reply], reason)
    }
    this.#phase = { name: 'closing', sinceMs: this.#options.now() }
    // Closing with unread input would reset the connection, and the client might lose the reply.
    if (reply === 'goodbye' && !this.#protocol.isInputLeft) {
      this.#transport.finish(this.#protocol.takeOutput())
    } else {
      this.#transport.end(this.#protocol.takeOutput())
    }
  }

  /** Some clients complete the handshake, then check the certificate and disconnect silently. */
  #reportHandshake(tlsError: Error | null): void {
    const { handler, remoteAddress, limits, now } = this.#options
    const phase = this.#phase
    const isSecuring = phase.name === 'securing'
    const hasLeft = phase.name !== 'closing' || this.#isInputEnded
    if (this.#isStopping || !(isSecuring || (this.#isSilentSinceTls && hasLeft))) return
    const isLate = isSecuring && now() - phase.sinceMs >= limits.handshakeMs
    const reason = tlsFailure(tlsError, isLate)
    const { transaction, helo } = this.#protocol
    handler.handshakeFailed({ remoteAddress, helo: helo ?? this.#helo, reason })
    if (transaction === null) return
    this.#reportRejected(transaction, `${REPLIES.tlsFailed}: ${reason}`, 'tls_failed')
  }

  #reportRejected(transaction: Transaction<R>, reply: string, reason: RejectReason): void {
    const { recipients } = transaction
    const envelope = this.#envelope(transaction)
    if (recipients.length > 0) {
      this.#options.handler.rejected({ envelope, recipients, reply, reason })
    }
  }

  #envelope({ mailFrom, smtpUtf8, declaredSizeBytes }: Transaction<R>): Envelope {
    const { remoteAddress } = this.#options
    const { helo } = this.#protocol
    const client = { remoteAddress, helo, tls: this.#tls, user: this.#user }
    return { mailFrom, smtpUtf8, declaredSizeBytes, ...client }
  }

  /** The transfer rate of a mail counts from the moment its content may be sent. */
  #timeContent(): void {
    if (!this.#protocol.isReadingContent) this.#clock.content = null
    else this.#clock.content ??= { sinceMs: this.#options.now(), bytes: 0 }
  }

  /** Discards the mail that is being received when all sessions together use too much memory. */
  #updateMemory(): void {
    const heldBytes = this.#phase.name === 'closed' ? 0 : this.#protocol.heldBytes
    if (this.#countMemory(heldBytes + this.#storingBytes) || heldBytes === 0) return
    this.#protocol.abandonMail()
    this.#countMemory(this.#protocol.heldBytes + this.#storingBytes)
  }

  /** Sets this session's memory use. False when all sessions together use too much. */
  #countMemory(bytes: number): boolean {
    const { inFlight, limits } = this.#options
    const allBytes = inFlight.addBytes(bytes - this.#countedBytes)
    this.#countedBytes = bytes
    return allBytes <= limits.inFlightBytesMax
  }
}
