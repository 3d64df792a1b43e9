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
  MarkOptions,
  Message,
  MessagePage,
  MessageSummary,
  OtpExplanation,
  ReadMessageOptions,
} from './messages.ts'
import type { Pages } from './pages.ts'
import type { WaitStart } from './wait-call.ts'
import { type Expectation, type WaitTime, waitFor } from './waiting.ts'

/** What to wait for, how long, and which mail to consider. */
export type WaitOptions = CallOptions &
  MessageFilter &
  WaitStart & {
    /** Default: that of the client, or 30. May be longer than 50. */
    readonly timeoutSeconds?: number | undefined
  }

/** Which code to wait for, how long, and which mail to consider. */
export type OtpOptions = WaitOptions & {
  /**
   * The form of the code: `9` is a digit, `A` a letter or digit, separators are ignored: `999999`,
   * `AAAA-AAAA`. Only values of this form count, and a less likely one is returned.
   */
  readonly otpFormat?: string | undefined
}

/** Which link to wait for, how long, and which mail to consider. */
export type LinkOptions = WaitOptions & {
  /** Compared with the URL of each link; if none matches, with its text. Default: any link. */
  readonly link?: TextPattern | undefined
}

/** Which mail must not arrive, and for how long. */
export type NoEmailOptions = CallOptions &
  MessageFilter &
  WaitStart & {
    /** Default: 5. */
    readonly withinSeconds?: number | undefined
  }

/** The timeout of a wait, and a signal that ends it. */
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
export type Action = () => unknown

/** How long to wait for a message to check, and which mail to consider. */
export type CheckOptions = CallOptions &
  WaitStart &
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
  /** Null for a catch-all inbox, which does not expire. */
  declare readonly expiresAt: string | null
  declare readonly messageCount: number
  declare readonly unreadCount: number
  declare readonly state: InboxState
  declare readonly environment: Environment
  declare readonly watermark: string
  /** Whether it is a catch-all inbox, which accepts mail for any recipient. */
  declare readonly catchAll: boolean
  /** How many of its newest messages a catch-all inbox keeps; null for others. */
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

  /** Waits for a message; one that has arrived counts, unless `since` or `after` excludes it. */
  waitForMessage(options: WaitOptions = {}): Promise<Message> {
    return this.#wait(expectedMessage(options), options)
  }

  /** Waits for a one-time code. */
  waitForOtp(options: OtpOptions = {}): Promise<ReceivedOtp> {
    return this.#wait(expectedOtp(options), options)
  }

  /** Waits for a link. */
  waitForLink(options: LinkOptions = {}): Promise<ReceivedLink> {
    return this.#wait(expectedLink(options), options)
  }

  /** Waits until the time has passed; throws as soon as a message arrives, or has arrived. */
  async waitForNoMessage(options: NoEmailOptions = {}): Promise<void> {
    const timeoutSeconds = options.withinSeconds ?? NO_EMAIL_SECONDS
    const waiting = this.#wait(expectedMessage(options), { ...options, timeoutSeconds })
    const email = await waiting.catch((error: unknown) => {
      if (error instanceof EmailTimeoutError) return null
      throw error
    })
    if (email === null) return
    const what = `A message${describeFilter(options)} reached ${this.emailAddress}`
    throw new UnexpectedEmailError(
      `${what} although none was expected within ${timeoutSeconds} s: ${describeMessage(email)}.`,
      email,
    )
  }

  /** Runs `action` and waits for a message that arrives after it began. */
  expectEmail(action: Action, options: WaitOptions = {}): Promise<Message> {
    return this.#expect(action, expectedMessage(options), options)
  }

  /** Runs `action` and waits for a one-time code that arrives after it began. */
  expectOtp(action: Action, options: OtpOptions = {}): Promise<ReceivedOtp> {
    return this.#expect(action, expectedOtp(options), options)
  }

  /** Runs `action` and waits for a link that arrives after it began. */
  expectLink(action: Action, options: LinkOptions = {}): Promise<ReceivedLink> {
    return this.#expect(action, expectedLink(options), options)
  }

  /** Runs `action`, and throws as soon as a message arrives after it began. */
  async expectNoEmail(action: Action, options: NoEmailOptions = {}): Promise<void> {
    const after = await this.#watermarkBefore(action, options)
    return this.waitForNoMessage({ ...options, after })
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

  /** The messages, newest first. */
  listMessages(options?: ListMessagesOptions): Pages<MessagePage, MessageSummary> {
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

  /** Marks a message as read, or as unread. Reading a message does not mark it. */
  markRead(messageId: string, options: MarkOptions = {}): Promise<MessageSummary> {
    return this.#calls.messages.mark(messageId, options)
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
    action: Action,
    expectation: Expectation<Found>,
    options: WaitOptions,
  ): Promise<Found> {
    const after = await this.#watermarkBefore(action, options)
    return this.#wait(expectation, { ...options, after, hasAction: true })
  }

  /** Runs the action; returns the watermark from before. */
  async #watermarkBefore(action: Action, { signal }: CallOptions): Promise<string> {
    const { watermark } = await this.#calls.read({ signal })
    await action()
    return watermark
  }

  #wait<Found>(
    expectation: Expectation<Found>,
    options: WaitOptions & Pick<WaitTime, 'hasAction'>,
  ): Promise<Found> {
    const target = { emailAddress: this.emailAddress, ...this.#calls }
    return this.#startWait(options, (limits) =>
      waitFor(target, expectation, { ...options, ...limits }),
    )
  }
}
