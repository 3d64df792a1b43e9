import { MayflyError, pointingHere } from '../errors.ts'
import { UnexpectedEmailError } from '../expectation-errors.ts'
import type { Inbox } from '../inbox.ts'
import { checkOptions, type OptionKinds } from '../options.ts'
import { type NoEmailOptions, WAIT, type WaitOptions } from '../wait-options.ts'

/** Which code to wait for, and how long. */
export type ReceiveOtpOptions = WaitOptions & {
  /** The code itself, or a regular expression that it must match. */
  readonly value?: string | RegExp | undefined
}

const OTP = { value: 'pattern', ...WAIT } as const satisfies OptionKinds<ReceiveOtpOptions>

/** The matchers as used in a test. */
type InboxMatchers = {
  /** Waits for a message. */
  toReceiveEmail(options?: WaitOptions): Promise<void>
  /** Waits for a one-time code. */
  toReceiveOtp(options?: ReceiveOtpOptions): Promise<void>
  readonly not: {
    /** Waits until the time has passed without a message. */
    toReceiveEmail(options?: NoEmailOptions): Promise<void>
  }
}

/** The runner's `expect`, with the matchers when it is given an inbox. */
export type InboxExpect<Base extends (actual: never) => unknown> = ((
  inbox: Inbox,
) => ReturnType<Base> & InboxMatchers) &
  Base

/** The result of a matcher. */
export type MatcherResult = { readonly pass: boolean; readonly message: () => string }

/** The part of a runner's state that is used. */
export type MatcherState = { readonly isNot?: boolean }

/**
 * The matchers for `expect.extend` of Vitest, Jest and Playwright. They throw instead of returning
 * that they failed: the runner would make an error of its own, without the diagnostics.
 */
export const matchers = {
  toReceiveEmail(
    this: MatcherState,
    received: unknown,
    options: WaitOptions | NoEmailOptions = {},
  ): Promise<MatcherResult> {
    return pointingHere(async () => {
      const inbox = inboxOf(received)
      if (this.isNot === true) await inbox.waitForNoMessage(options)
      else await inbox.waitForMessage(options)
      return metBy(this)
    })()
  },

  toReceiveOtp(
    this: MatcherState,
    received: unknown,
    options: ReceiveOtpOptions = {},
  ): Promise<MatcherResult> {
    return pointingHere(async () => {
      const inbox = inboxOf(received)
      if (this.isNot === true) throw new MayflyError(NOT_OTP)
      checkOptions(options, OTP)
      const { value, ...wait } = options
      const otp = await inbox.waitForOtp(wait)
      if (value === undefined || codeMatches(otp.value, value)) return metBy(this)
      throw new UnexpectedEmailError(
        `The code ${otp.value} received by ${inbox.emailAddress} is not ${value}.`,
        otp.message,
      )
    })()
  },
}

const NOT_OTP =
  'toReceiveOtp has no .not: a mail whose code was not recognised would pass. Use .not.toReceiveEmail().'

/** The runner negates the result of an inverted matcher. */
function metBy({ isNot }: MatcherState): MatcherResult {
  return { pass: isNot !== true, message: () => 'The expectation was met.' }
}

function codeMatches(code: string, value: string | RegExp): boolean {
  return typeof value === 'string' ? code === value : code.search(value) >= 0
}

function inboxOf(received: unknown): Inbox {
  // Not `instanceof`: a test may have a second copy of this package.
  if (typeof received === 'object' && received !== null && 'waitForMessage' in received) {
    return received as Inbox // It has what only an inbox has.
  }
  throw new MayflyError('This matcher needs an inbox: expect(inbox).toReceiveEmail().')
}
