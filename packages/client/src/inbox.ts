/// <reference lib="esnext.disposable" preserve="true" />
import type { Assertion, AssertionRun } from './assertions.ts'
import { type CallOptions, property } from './connection.ts'
import type { Diagnostics, InboxState } from './diagnostics.ts'
import { MayflyError } from './errors.ts'
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
import { describeFilter } from './filter.ts'
import type { FaultOptions, InboxCalls, InboxRecord } from './inbox-calls.ts'
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
import { checkOptions } from './options.ts'
import type { Pages } from './pages.ts'
import {
  CHECK,
  type CheckOptions,
  LINK,
  type LinkOptions,
  NO_EMAIL,
  type NoEmailOptions,
  OTP,
  type OtpOptions,
  WAIT,
  type WaitOptions,
} from './wait-options.ts'
import { type Expectation, type WaitTime, waitFor } from './waiting.ts'

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
  async waitForMessage(options: WaitOptions = {}): Promise<Message> {
    checkOptions(options, WAIT)
    return this.#wait(expectedMessage(options), options)
  }

  /** Waits for a one-time code. */
  async waitForOtp(options: OtpOptions = {}): Promise<ReceivedOtp> {
    checkOptions(options, OTP)
    return this.#wait(expectedOtp(options), options)
  }

  /** Waits for a link. */
  async waitForLink(options: LinkOptions = {}): Promise<ReceivedLink> {
    checkOptions(options, LINK)
    return this.#wait(expectedLink(options), options)
  }

  /** Waits until the time has passed; throws as soon as a message arrives, or has arrived. */
  async waitForNoMessage(options: NoEmailOptions = {}): Promise<void> {
    checkOptions(options, NO_EMAIL)
    return this.#waitForNone(options)
  }

  /** Runs `action` and waits for a message that arrives after it began. */
  async expectEmail(action: Action, options: WaitOptions = {}): Promise<Message> {
    checkAction('expectEmail', action)
    checkOptions(options, WAIT)
    return this.#expect(action, expectedMessage(options), options)
  }

  /** Runs `action` and waits for a one-time code that arrives after it began. */
  async expectOtp(action: Action, options: OtpOptions = {}): Promise<ReceivedOtp> {
    checkAction('expectOtp', action)
    checkOptions(options, OTP)
    return this.#expect(action, expectedOtp(options), options)
  }

  /** Runs `action` and waits for a link that arrives after it began. */
  async expectLink(action: Action, options: LinkOptions = {}): Promise<ReceivedLink> {
    checkAction('expectLink', action)
    checkOptions(options, LINK)
    return this.#expect(action, expectedLink(options), options)
  }

  /** Runs `action`, and throws as soon as a message arrives after it began. */
  async expectNoEmail(action: Action, options: NoEmailOptions = {}): Promise<void> {
    checkAction('expectNoEmail', action)
    checkOptions(options, NO_EMAIL)
    const after = await this.#watermarkBefore(action, options)
    return this.#waitForNone({ ...options, after })
  }

  /** Waits for a message and checks it. Throws when none arrives or an assertion fails. */
  async assert(assertions: readonly Assertion[], options?: CheckOptions): Promise<AssertionRun> {
    const run = await this.check(assertions, options)
    if (!run.passed) throw new AssertionsFailedError(explainRun(run, this.emailAddress), run)
    return run
  }

  /** Waits for a message, checks it and returns the report, without throwing; see `passed`. */
  async check(assertions: readonly Assertion[], options: CheckOptions = {}): Promise<AssertionRun> {
    checkOptions(options, CHECK)
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

  async #waitForNone(options: NoEmailOptions): Promise<void> {
    const { signal, withinSeconds } = options
    const target = { ...this.#calls, emailAddress: this.emailAddress }
    await this.#startWait({ signal, timeoutSeconds: withinSeconds }, async (limits) => {
      const usual = Math.min(NO_EMAIL_SECONDS, Math.ceil(limits.timeoutSeconds / 2))
      const timeoutSeconds = withinSeconds ?? usual
      const time = { ...options, ...limits, timeoutSeconds }
      const email = await waitFor(target, expectedMessage(options), time).catch(
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
    })
  }
}

function checkAction(call: string, action: unknown): void {
  if (typeof action === 'function') return
  throw new MayflyError(
    `${call} takes a function first, and then options: ${call}(() => signUp(inbox.emailAddress), { … }).`,
  )
}
