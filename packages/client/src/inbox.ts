/// <reference lib="esnext.disposable" preserve="true" />
import type { Assertion, AssertionRun } from './assertions.ts'
import { type CallOptions, property } from './connection.ts'
import type { Diagnostics, InboxState } from './diagnostics.ts'
import {
  AssertionsFailedError,
  EmailTimeoutError,
  UnexpectedEmailError,
} from './expectation-errors.ts'
import {
  expectedLink,
  expectedMessage,
  expectedOtp,
  type ReceivedLink,
  type ReceivedOtp,
} from './expectations.ts'
import { describeMessage, explainRun } from './explain.ts'
import type { FaultRule, Faults } from './faults.ts'
import { describeFilter, type MessageFilter, type TextPattern } from './filter.ts'
import type { CheckFilter, FaultOptions, InboxCalls, InboxRecord } from './inbox-calls.ts'
import type { Environment } from './keys.ts'
import type {
  HtmlCheck,
  ListMessagesOptions,
  Message,
  MessageFrame,
  MessagePage,
  MessageSummary,
  OtpExplanation,
  ReadMessageOptions,
} from './messages.ts'
import type { Anchor } from './wait-call.ts'
import { type Expectation, type WaitTime, waitFor } from './waiting.ts'

/** What to wait for, how long, and which mail to consider. */
export type WaitOptions = CallOptions &
  MessageFilter &
  Anchor & {
    /** Default: that of the client, or 30. May be longer than 50. */
    readonly timeoutSeconds?: number | undefined
  }

/** Which mail must not arrive, and for how long. */
export type NoEmailOptions = CallOptions &
  MessageFilter &
  Anchor & {
    /** Default: 5. */
    readonly withinSeconds?: number | undefined
  }

/** How long a wait lasts, and what ends it. */
type WaitLimits = {
  readonly timeoutSeconds: number
  /** Instead of the signal of the options. */
  readonly signal?: AbortSignal | undefined
}

/** Starts a wait with limits that follow from its options, or from defaults. */
export type StartWait = <Found>(
  options: CallOptions & { readonly timeoutSeconds?: number | undefined },
  wait: (limits: WaitLimits) => Promise<Found>,
) => Promise<Found>

/** Makes the application send a mail. */
export type Trigger = () => unknown

/** How long to wait for a message to check, and which mail to consider. */
export type CheckOptions = CallOptions &
  Anchor &
  CheckFilter & { readonly timeoutSeconds?: number | undefined }

/** Long enough for an application that sends immediately, short enough for a test. */
const NO_EMAIL_SECONDS = 5

/**
 * An inbox. Its fields are as they were when it was read.
 *
 * `await using inbox = …` deletes it at the end of the block.
 */
export class Inbox implements InboxRecord, AsyncDisposable {
  declare readonly id: string
  declare readonly emailAddress: string
  declare readonly createdAt: string
  declare readonly expiresAt: string
  declare readonly messageCount: number
  declare readonly unreadCount: number
  declare readonly state: InboxState
  declare readonly environment: Environment
  declare readonly watermark: string
  /** Whether it is a project inbox, which takes mail for any recipient. */
  declare readonly catchAll: boolean
  /** How many of its newest messages a project inbox keeps; null for others. */
  declare readonly keepMessages: number | null
  readonly #calls: InboxCalls
  readonly #startWait: StartWait

  constructor(
    record: InboxRecord,
    { calls, startWait }: { readonly calls: InboxCalls; readonly startWait: StartWait },
  ) {
    Object.assign(this, record)
    this.#calls = calls
    this.#startWait = startWait
  }

  /** Waits for a message; one that has already arrived counts, unless an anchor excludes it. */
  waitForMessage(options: WaitOptions = {}): Promise<Message> {
    return this.#wait(expectedMessage(options), options)
  }

  /** Waits for a one-time code. */
  waitForOtp(options: WaitOptions = {}): Promise<ReceivedOtp> {
    return this.#wait(expectedOtp(options), options)
  }

  /** Waits for a link whose URL matches the pattern; if none does, whose text does. */
  waitForLink(pattern?: TextPattern, options: WaitOptions = {}): Promise<ReceivedLink> {
    return this.#wait(expectedLink(pattern, options), options)
  }

  /** Runs `trigger` and waits for a message that arrives after it began. */
  expectEmail(trigger: Trigger, options: WaitOptions = {}): Promise<Message> {
    return this.#expect(trigger, expectedMessage(options), options)
  }

  /** Runs `trigger` and waits for a one-time code that arrives after it began. */
  expectOtp(trigger: Trigger, options: WaitOptions = {}): Promise<ReceivedOtp> {
    return this.#expect(trigger, expectedOtp(options), options)
  }

  /** Runs `trigger` and waits for a link that arrives after it began. */
  expectLink(
    trigger: Trigger,
    pattern?: TextPattern,
    options: WaitOptions = {},
  ): Promise<ReceivedLink> {
    return this.#expect(trigger, expectedLink(pattern, options), options)
  }

  /**
   * Throws as soon as a message arrives. One that has already arrived counts, unless an anchor
   * excludes it; with a trigger only mail that arrives after it began counts.
   */
  async expectNoEmail(options?: NoEmailOptions): Promise<void>
  async expectNoEmail(trigger: Trigger, options?: NoEmailOptions): Promise<void>
  async expectNoEmail(first: Trigger | NoEmailOptions = {}, second: NoEmailOptions = {}) {
    const [trigger, options] = typeof first === 'function' ? [first, second] : [null, first]
    const timeoutSeconds = options.withinSeconds ?? NO_EMAIL_SECONDS
    const anchor = trigger === null ? {} : { after: await this.#watermarkBefore(trigger, options) }
    const expectation = expectedMessage(options)
    const email = await this.#wait(expectation, { ...options, ...anchor, timeoutSeconds }).catch(
      (error: unknown) => {
        if (error instanceof EmailTimeoutError) return null
        throw error
      },
    )
    if (email === null) return
    const what = `A message${describeFilter(options)} reached ${this.emailAddress}`
    throw new UnexpectedEmailError(
      `${what} although none was expected within ${timeoutSeconds} s: ${describeMessage(email)}.`,
      email,
    )
  }

  /** Waits for a message and checks it. Throws when none arrives or an assertion fails. */
  async assert(assertions: readonly Assertion[], options?: CheckOptions): Promise<AssertionRun> {
    const run = await this.check(assertions, options)
    if (!run.passed) throw new AssertionsFailedError(explainRun(run, this.emailAddress), run)
    return run
  }

  /** Waits for a message, checks it and returns the report, without throwing; see `passed`. */
  check(assertions: readonly Assertion[], options: CheckOptions = {}): Promise<AssertionRun> {
    return this.#startWait(options, (limits) =>
      this.#calls.check(assertions, { ...options, ...limits }),
    )
  }

  /** What happened to mail for this inbox, and what to do when none arrives. */
  diagnose(options?: CallOptions): Promise<Diagnostics> {
    return this.#calls.diagnose(options)
  }

  /** Makes the inbox refuse mail, to test how the application handles it; replaces the rules. */
  setFaults(rules: readonly FaultRule[], options?: FaultOptions): Promise<Faults> {
    return this.#calls.setFaults(rules, options)
  }

  /** The fault rules of the inbox. */
  readFaults(options?: CallOptions): Promise<Faults> {
    return this.#calls.faults(options)
  }

  /** Deletes the fault rules of the inbox. */
  deleteFaults(options?: CallOptions): Promise<void> {
    return this.#calls.deleteFaults(options)
  }

  /** One page of messages, newest first. */
  listMessages(options?: ListMessagesOptions): Promise<MessagePage> {
    return this.#calls.messages.list(options)
  }

  /** A whole message. */
  readMessage(messageId: string, options?: ReadMessageOptions): Promise<Message> {
    return this.#calls.messages.read(messageId, options)
  }

  /** The raw bytes of a message. */
  readRaw(messageId: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>> {
    return this.#calls.messages.raw(messageId, options)
  }

  /** The SMTP session of a message; `C:` is the sender, `S:` is Mayfly. */
  readTranscript(messageId: string, options?: CallOptions): Promise<readonly string[]> {
    return this.#calls.messages.transcript(messageId, options)
  }

  /** Why a code was found in a message, or why none was. */
  explainOtp(messageId: string, options?: CallOptions): Promise<OtpExplanation> {
    return this.#calls.messages.explainOtp(messageId, options)
  }

  /** Which mail clients support the HTML of a message. */
  checkHtml(messageId: string, options?: CallOptions): Promise<HtmlCheck> {
    return this.#calls.messages.htmlCheck(messageId, options)
  }

  /** The bytes of an attachment; throws `attachment_blocked` for a dangerous type. */
  downloadAttachment(
    messageId: string,
    attachmentId: string,
    options?: CallOptions,
  ): Promise<Uint8Array<ArrayBuffer>> {
    return this.#calls.messages.attachment(messageId, attachmentId, options)
  }

  /** A temporary URL that shows a message in an iframe; it needs no key. */
  createFrame(messageId: string, options?: ReadMessageOptions): Promise<MessageFrame> {
    return this.#calls.messages.frame(messageId, options)
  }

  /** Marks a message as read, or as unread. Reading a message does not mark it. */
  markRead(messageId: string, read = true, options?: CallOptions): Promise<MessageSummary> {
    return this.#calls.messages.mark(messageId, read, options)
  }

  /** Deletes a message with all its content. */
  deleteMessage(messageId: string, options?: CallOptions): Promise<void> {
    return this.#calls.messages.delete(messageId, options)
  }

  /** Deletes all messages of the inbox. */
  deleteMessages(options?: CallOptions): Promise<void> {
    return this.#calls.messages.deleteAll(options)
  }

  /** The inbox as it is now. */
  async refresh(options?: CallOptions): Promise<Inbox> {
    const record = await this.#calls.read(options)
    return new Inbox(record, { calls: this.#calls, startWait: this.#startWait })
  }

  /** Deletes the inbox and all its content immediately. */
  delete(options?: CallOptions): Promise<void> {
    return this.#calls.delete(options)
  }

  /** Deletes the inbox; succeeds when it is already deleted. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.delete().catch((error: unknown) => {
      if (property(error, 'code') !== 'inbox_not_found') throw error
    })
  }

  async #expect<Found>(
    trigger: Trigger,
    expectation: Expectation<Found>,
    options: WaitOptions,
  ): Promise<Found> {
    const after = await this.#watermarkBefore(trigger, options)
    return this.#wait(expectation, { ...options, after, hasTrigger: true })
  }

  /** Runs the trigger; returns the watermark from before. */
  async #watermarkBefore(trigger: Trigger, { signal }: CallOptions): Promise<string> {
    const { watermark } = await this.#calls.read({ signal })
    await trigger()
    return watermark
  }

  #wait<Found>(
    expectation: Expectation<Found>,
    options: WaitOptions & Pick<WaitTime, 'hasTrigger'>,
  ): Promise<Found> {
    const target = { emailAddress: this.emailAddress, ...this.#calls }
    return this.#startWait(options, (limits) =>
      waitFor(target, expectation, { ...options, ...limits }),
    )
  }
}
