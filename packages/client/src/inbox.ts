/// <reference lib="esnext.disposable" preserve="true" />
import type { Assertion, AssertionRun } from './assertions.ts'
import type { CallOptions } from './call-options.ts'
import type { Diagnostics, InboxState } from './diagnostics.ts'
import { ApiError } from './errors.ts'
import {
  AssertionsFailedError,
  EmailTimeoutError,
  UnexpectedEmailError,
} from './expectation-errors.ts'
import { describeMessage, explainRun } from './explain.ts'
import { describeFilter, type MessageFilter, type TextPattern } from './filter.ts'
import type { InboxCalls, InboxRecord } from './inbox-calls.ts'
import type { Environment } from './keys.ts'
import type {
  ListMessagesOptions,
  Message,
  MessagePage,
  OtpExplanation,
  ReadMessageOptions,
} from './messages.ts'
import type { Anchor } from './wait-call.ts'
import { type Wanted, waitFor } from './waiting.ts'
import { type ReceivedLink, type ReceivedOtp, wantLink, wantMessage, wantOtp } from './wanted.ts'

/** What to wait for, how long, and from when on mail counts. */
export type WaitOptions = CallOptions &
  MessageFilter &
  Anchor & {
    /** 30 unless said otherwise, here or for the client; it may be longer than 50. */
    readonly timeoutSeconds?: number | undefined
  }

/** What must not come, and for how long. */
export type NoEmailOptions = CallOptions &
  MessageFilter &
  Anchor & {
    /** 5 unless said otherwise. */
    readonly withinSeconds?: number | undefined
  }

/** What makes the application send. */
export type Trigger = () => unknown

/** How long to wait for a message to check, and from when on mail counts. */
export type CheckOptions = CallOptions & Anchor & { readonly timeoutSeconds?: number | undefined }

/** Long enough for an application that sends at once, short enough to be waited for in a test. */
const NO_EMAIL_SECONDS = 5

/**
 * An inbox to receive in. Its fields are as they were when it was read.
 *
 * `await using inbox = …` deletes it at the end of the block.
 */
export class Inbox implements InboxRecord, AsyncDisposable {
  readonly id: string
  readonly emailAddress: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly messageCount: number
  readonly state: InboxState
  readonly environment: Environment
  readonly watermark: string
  readonly #calls: InboxCalls
  readonly #timeoutSeconds: number

  constructor(
    record: InboxRecord,
    { calls, timeoutSeconds }: { readonly calls: InboxCalls; readonly timeoutSeconds: number },
  ) {
    this.id = record.id
    this.emailAddress = record.emailAddress
    this.createdAt = record.createdAt
    this.expiresAt = record.expiresAt
    this.messageCount = record.messageCount
    this.state = record.state
    this.environment = record.environment
    this.watermark = record.watermark
    this.#calls = calls
    this.#timeoutSeconds = timeoutSeconds
  }

  /** Waits for a message; one that is there already counts, unless an anchor says otherwise. */
  waitForMessage(options: WaitOptions = {}): Promise<Message> {
    return this.#wait(wantMessage(options), options)
  }

  /** Waits for a one-time code. */
  waitForOtp(options: WaitOptions = {}): Promise<ReceivedOtp> {
    return this.#wait(wantOtp(options), options)
  }

  /** Waits for a link whose address, or failing that whose text, is like the pattern. */
  waitForLink(pattern?: TextPattern, options: WaitOptions = {}): Promise<ReceivedLink> {
    return this.#wait(wantLink(pattern, options), options)
  }

  /** Runs `trigger` and waits for a message that arrives after it began. */
  expectEmail(trigger: Trigger, options: WaitOptions = {}): Promise<Message> {
    return this.#expect(trigger, wantMessage(options), options)
  }

  /** Runs `trigger` and waits for a one-time code that arrives after it began. */
  expectOtp(trigger: Trigger, options: WaitOptions = {}): Promise<ReceivedOtp> {
    return this.#expect(trigger, wantOtp(options), options)
  }

  /** Runs `trigger` and waits for a link that arrives after it began. */
  expectLink(
    trigger: Trigger,
    pattern?: TextPattern,
    options: WaitOptions = {},
  ): Promise<ReceivedLink> {
    return this.#expect(trigger, wantLink(pattern, options), options)
  }

  /**
   * Throws as soon as a message comes that must not. What is there already counts, unless an
   * anchor says otherwise; with a trigger only what comes after it began counts.
   */
  async expectNoEmail(options?: NoEmailOptions): Promise<void>
  async expectNoEmail(trigger: Trigger, options?: NoEmailOptions): Promise<void>
  async expectNoEmail(first: Trigger | NoEmailOptions = {}, second: NoEmailOptions = {}) {
    const [trigger, options] = typeof first === 'function' ? [first, second] : [null, first]
    const timeoutSeconds = options.withinSeconds ?? NO_EMAIL_SECONDS
    const anchor = trigger === null ? {} : { after: await this.#watermarkBefore(trigger, options) }
    const wanted = wantMessage(options)
    const email = await this.#wait(wanted, { ...options, ...anchor, timeoutSeconds }).catch(
      (error: unknown) => {
        if (error instanceof EmailTimeoutError) return null
        throw error
      },
    )
    if (email === null) return
    const rule = `No message${describeFilter(options)} was to reach ${this.emailAddress}`
    throw new UnexpectedEmailError(
      `${rule} within ${timeoutSeconds} s, but this one did: ${describeMessage(email)}.`,
      email,
    )
  }

  /** Waits for a message and checks it. Throws when it does not come or not all holds. */
  async assert(
    assertions: readonly Assertion[],
    options: CheckOptions = {},
  ): Promise<AssertionRun> {
    const run = await this.check(assertions, options)
    if (!run.passed) throw new AssertionsFailedError(explainRun(run, this.emailAddress), run)
    return run
  }

  /** Waits for a message and reports what holds of it, without throwing; see `passed`. */
  check(assertions: readonly Assertion[], options: CheckOptions = {}): Promise<AssertionRun> {
    const timeoutSeconds = options.timeoutSeconds ?? this.#timeoutSeconds
    return this.#calls.check(assertions, { ...options, timeoutSeconds })
  }

  /** Where a missing mail may have got stuck. */
  diagnose(options: CallOptions = {}): Promise<Diagnostics> {
    return this.#calls.diagnose(options)
  }

  /** One page of messages, newest first. */
  listMessages(options: ListMessagesOptions = {}): Promise<MessagePage> {
    return this.#calls.messages.list(options)
  }

  /** A whole message. */
  readMessage(messageId: string, options: ReadMessageOptions = {}): Promise<Message> {
    return this.#calls.messages.read(messageId, options)
  }

  /** The bytes of a message as they came. */
  readRaw(messageId: string, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#calls.messages.raw(messageId, options)
  }

  /** The SMTP dialogue that brought a message; `C:` is the sender, `S:` is Mayfly. */
  readTranscript(messageId: string, options: CallOptions = {}): Promise<readonly string[]> {
    return this.#calls.messages.transcript(messageId, options)
  }

  /** Why a code was found in a message, or none. */
  explainOtp(messageId: string, options: CallOptions = {}): Promise<OtpExplanation> {
    return this.#calls.messages.explainOtp(messageId, options)
  }

  /** The bytes of an attachment; throws `attachment_blocked` for one that may do harm. */
  downloadAttachment(
    messageId: string,
    attachmentId: string,
    options: CallOptions = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    return this.#calls.messages.attachment(messageId, attachmentId, options)
  }

  /** The inbox as it is now. */
  async refresh(options: CallOptions = {}): Promise<Inbox> {
    const record = await this.#calls.read(options)
    return new Inbox(record, { calls: this.#calls, timeoutSeconds: this.#timeoutSeconds })
  }

  /** Purges the inbox and all its content at once. */
  delete(options: CallOptions = {}): Promise<void> {
    return this.#calls.delete(options)
  }

  /** Deletes the inbox; one that is gone already is as good. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.delete().catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'inbox_not_found') throw error
    })
  }

  async #expect<Found>(
    trigger: Trigger,
    wanted: Wanted<Found>,
    options: WaitOptions,
  ): Promise<Found> {
    const after = await this.#watermarkBefore(trigger, options)
    return this.#wait(wanted, { ...options, after })
  }

  /** Runs the trigger; tells what had arrived before. */
  async #watermarkBefore(trigger: Trigger, { signal }: CallOptions): Promise<string> {
    const { watermark } = await this.#calls.read({ signal })
    await trigger()
    return watermark
  }

  #wait<Found>(wanted: Wanted<Found>, options: WaitOptions): Promise<Found> {
    const target = { emailAddress: this.emailAddress, ...this.#calls }
    const timeoutSeconds = options.timeoutSeconds ?? this.#timeoutSeconds
    return waitFor(target, wanted, { ...options, timeoutSeconds })
  }
}
