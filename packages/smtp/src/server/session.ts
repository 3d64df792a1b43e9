// One client's session: drives the protocol machine, asks the handler, keeps the deadlines.
//
// While the machine may not go on, at most one piece of input is kept and reading is paused.
// No timer is set: the server calls `tick` once a second.

import type { ProtocolOptions } from '../protocol/dialogue.ts'
import { SmtpProtocol } from '../protocol/machine.ts'
import { REPLIES } from '../protocol/replies.ts'
import type { Step, Transaction } from '../protocol/steps.ts'
import {
  type Admission,
  type Envelope,
  lossReason,
  RECEIPT_REPLIES,
  REFUSAL_REPLIES,
  type Recipient,
  type SafeHandler,
  type TurnedAwayReason,
} from './handler.ts'
import type { SmtpLimits } from './limits.ts'
import { type InFlight, MemoryShare } from './memory-share.ts'
import { judgeDeadlines, type Phase, type SessionClock } from './session-phase.ts'
import type { Wire } from './wire.ts'

/** What a session is told. */
export type SessionOptions<R extends Recipient> = {
  readonly handler: SafeHandler<R>
  readonly protocol: ProtocolOptions
  readonly limits: SmtpLimits
  readonly remoteAddress: string
  /** Whether guessing recipients goes unpunished. */
  readonly isExempt: boolean
  readonly inFlight: InFlight
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

const TALKING: Phase = { name: 'talking' }

/** Drives one session from greeting to close. */
export class Session<R extends Recipient> {
  readonly #wire: Wire
  readonly #options: SessionOptions<R>
  readonly #protocol: SmtpProtocol<R>
  readonly #clock: SessionClock
  readonly #memory: MemoryShare
  #phase: Phase = TALKING
  #tls: string | null = null
  #unknownCount = 0
  #storingBytes = 0
  #isInputEnded = false
  #isStopping = false

  constructor(wire: Wire, options: SessionOptions<R>) {
    this.#wire = wire
    this.#options = options
    this.#protocol = new SmtpProtocol(options.protocol)
    this.#memory = new MemoryShare(options.inFlight)
    const nowMs = options.now()
    this.#clock = { openedAtMs: nowMs, activeAtMs: nowMs, content: null }
  }

  /** Greets. */
  start(): void {
    this.#run()
  }

  onData(chunk: Buffer): void {
    if (this.#phase.name === 'closing') return
    this.#clock.activeAtMs = this.#options.now()
    if (this.#clock.content !== null) this.#clock.content.bytes += chunk.length
    this.#protocol.push(chunk)
    if (this.#phase.name === 'talking') this.#run()
    else this.#wire.pauseReading()
  }

  /** The client has read what we wrote. */
  onDrain(): void {
    if (this.#phase.name !== 'draining') return
    this.#phase = TALKING
    this.#run()
  }

  /** The client sends no more, but may still read. */
  onEnd(): void {
    this.#isInputEnded = true
    if (this.#phase.name === 'talking') this.#run()
  }

  onClose(): void {
    const { transaction, isMidMail } = this.#protocol
    if (transaction !== null && isMidMail) {
      this.#notice(transaction, REPLIES.connectionLost, 'connection_lost')
    }
    this.#phase = { name: 'gone' }
    this.#memory.hold(this.#storingBytes)
  }

  /** No new mail: a session in the middle of one may finish it. */
  stop(): void {
    this.#isStopping = true
    if (this.#phase.name === 'talking') this.#run()
    else if (this.#phase.name === 'securing') this.#wire.destroy()
  }

  /** Ends the session, whatever is under way. */
  giveUp(): void {
    const { name } = this.#phase
    if (name !== 'gone' && name !== 'closing') this.#hangUp(REPLIES.shuttingDown)
  }

  /** Does what is overdue. */
  tick(nowMs: number): void {
    const { limits } = this.#options
    const verdict = judgeDeadlines(this.#phase, this.#clock, { limits, nowMs })
    if (verdict.kind === 'destroy') this.#wire.destroy()
    if (verdict.kind === 'hang_up') this.#hangUp(verdict.reply)
    if (verdict.kind !== 'refuse_unknown') return
    this.#phase = TALKING
    this.#protocol.refuse(REPLIES.unknownRecipient)
    this.#run()
  }

  #hangUp(reply: string): void {
    this.#phase = TALKING
    this.#protocol.hangUp(reply)
    this.#run()
  }

  #run(): void {
    try {
      while (this.#phase.name === 'talking' && this.#do(this.#protocol.advance())) {}
    } catch (error) {
      // A mistake of ours costs this session, not all of them.
      this.#options.onError(error)
      this.#wire.destroy()
    }
  }

  /** False when nothing more can be done with what came in. */
  #do(step: Step<R>): boolean {
    switch (step.kind) {
      case 'recipient':
        this.#admit(step)
        return true
      case 'mail':
        this.#receive(step)
        return true
      case 'turned_away':
        this.#notice(step.transaction, step.reply, step.reason)
        return true
      case 'secure':
        this.#secure()
        return true
      case 'brimming':
        this.#flush()
        return true
      case 'closed':
        this.#close(step.reply)
        return false
      default:
        return !this.#rest()
    }
  }

  /** Waits for the client. False: the session is to end instead. */
  #rest(): boolean {
    const lastReply = this.#lastReply()
    if (lastReply !== null) {
      this.#protocol.hangUp(lastReply)
      return false
    }
    this.#flush()
    this.#time()
    this.#hold()
    this.#wire.resumeReading()
    return true
  }

  /** Why the session should end now that all that came in is answered, or null. */
  #lastReply(): string | null {
    const { isMidMail } = this.#protocol
    if (this.#isInputEnded) return isMidMail ? REPLIES.connectionLost : REPLIES.goodbye
    return this.#isStopping && !isMidMail ? REPLIES.shuttingDown : null
  }

  #flush(): void {
    const output = this.#protocol.takeOutput()
    if (output === '' || this.#wire.write(output)) return
    if (this.#phase.name === 'talking') this.#phase = { name: 'draining' }
  }

  #admit({ address, transaction }: Step<R> & { readonly kind: 'recipient' }): void {
    const admission = this.#options.handler.admit(address, this.#envelope(transaction))
    if (admission instanceof Promise) this.#await(admission, (answer) => this.#answer(answer))
    else this.#answer(admission)
  }

  #answer(admission: Admission<R>): void {
    if (admission.state === 'accepted') this.#protocol.admit(admission.recipient)
    else if (admission.why === 'unknown' && !this.#options.isExempt) this.#refuseUnknown()
    else this.#protocol.refuse(REFUSAL_REPLIES[admission.why])
  }

  #refuseUnknown(): void {
    const { limits, now } = this.#options
    this.#unknownCount += 1
    if (this.#unknownCount >= limits.unknownMax) {
      this.#protocol.hangUp(REPLIES.tooManyUnknown)
    } else if (this.#unknownCount < limits.unknownSlowedFrom) {
      this.#protocol.refuse(REPLIES.unknownRecipient)
    } else {
      this.#flush()
      this.#phase = { name: 'slowed', sinceMs: now() }
    }
  }

  #receive(step: Step<R> & { readonly kind: 'mail' }): void {
    const { transaction, raw, transcript, transmission: protocol } = step
    const { recipients } = transaction
    const mail = { envelope: this.#envelope(transaction), recipients, raw, transcript, protocol }
    this.#storingBytes = raw.length
    this.#hold()
    this.#await(this.#options.handler.receive(mail), (receipt) => {
      const reply = RECEIPT_REPLIES[receipt]
      this.#protocol.settle(reply)
      if (receipt === 'failed') this.#notice(transaction, reply, 'handler_failed')
    })
  }

  /** Waits for the handler, for at most one answer at a time. */
  #await<T>(answer: Promise<T>, then: (answer: T) => void): void {
    const { now } = this.#options
    this.#flush()
    const phase: Phase = { name: 'handling', sinceMs: now() }
    this.#phase = phase
    answer.then((value) => {
      this.#storingBytes = 0
      // The client may have left, or waited too long, in the meantime.
      if (this.#phase !== phase) return this.#hold()
      this.#phase = TALKING
      this.#clock.activeAtMs = now()
      then(value)
      this.#run()
    })
  }

  #secure(): void {
    const { now } = this.#options
    this.#phase = { name: 'securing', sinceMs: now() }
    this.#wire.secure(this.#protocol.takeOutput(), (tlsProtocol) => {
      this.#tls = tlsProtocol
      this.#protocol.secured()
      this.#clock.activeAtMs = now()
      this.#phase = TALKING
      this.#run()
    })
  }

  #close(reply: string): void {
    const { transaction } = this.#protocol
    const reason = lossReason(reply)
    if (transaction !== null && reason !== null) this.#notice(transaction, reply, reason)
    this.#phase = { name: 'closing', sinceMs: this.#options.now() }
    this.#wire.end(this.#protocol.takeOutput())
  }

  #notice(transaction: Transaction<R>, reply: string, reason: TurnedAwayReason): void {
    const { recipients } = transaction
    const envelope = this.#envelope(transaction)
    if (recipients.length > 0) {
      this.#options.handler.turnedAway({ envelope, recipients, reply, reason })
    }
  }

  #envelope({ mailFrom, smtpUtf8, declaredSizeBytes }: Transaction<R>): Envelope {
    const { remoteAddress } = this.#options
    const { helo } = this.#protocol
    return { mailFrom, remoteAddress, helo, tls: this.#tls, smtpUtf8, declaredSizeBytes }
  }

  /** The pace of a mail is measured from the moment its content may come. */
  #time(): void {
    if (!this.#protocol.isTakingContent) this.#clock.content = null
    else this.#clock.content ??= { sinceMs: this.#options.now(), bytes: 0 }
  }

  /** A mail in the making is given up when all sessions together hold too much. */
  #hold(): void {
    const heldBytes = this.#phase.name === 'gone' ? 0 : this.#protocol.heldBytes
    if (this.#memory.hold(heldBytes + this.#storingBytes) || heldBytes === 0) return
    this.#protocol.abandonMail()
    this.#memory.hold(this.#protocol.heldBytes + this.#storingBytes)
  }
}
