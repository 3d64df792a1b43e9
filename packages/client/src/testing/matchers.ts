import { EmailTimeoutError, UnexpectedEmailError } from '../expectation-errors.ts'
import type { Inbox, WaitOptions } from '../inbox.ts'

/** Which mail to wait for, and how long; with `.not`, which mail must not arrive. */
export type ReceiveEmailOptions = WaitOptions & {
  /** With `.not`: how long none may arrive. Default: 5. */
  readonly withinSeconds?: number | undefined
}

/** Which code to wait for, and how long. */
export type ReceiveOtpOptions = WaitOptions & {
  /** The code itself, or a regular expression that it must match. */
  readonly value?: string | RegExp | undefined
}

/** The matchers as used in a test. */
type InboxMatchers = {
  /** Waits for a message; with `.not`, until the time has passed without one. */
  toReceiveEmail(options?: ReceiveEmailOptions): Promise<void>
  /** Waits for a one-time code. */
  toReceiveOtp(options?: ReceiveOtpOptions): Promise<void>
}

/** The runner's `expect`, with the matchers when it is given an inbox. */
export type InboxExpect<Base extends (actual: never) => unknown> = ((
  inbox: Inbox,
) => ReturnType<Base> & InboxMatchers & { readonly not: InboxMatchers }) &
  Base

/** The result of a matcher. */
export type MatcherResult = { readonly pass: boolean; readonly message: () => string }

/** The part of a runner's state that is used. */
export type MatcherState = { readonly isNot?: boolean }

/** The matchers for `expect.extend` of Vitest, Jest and Playwright. */
export const matchers = {
  async toReceiveEmail(
    this: MatcherState,
    received: unknown,
    options: ReceiveEmailOptions = {},
  ): Promise<MatcherResult> {
    const inbox = inboxOf(received)
    if (this.isNot === true) return resultOf(() => inbox.waitForNoMessage(options), 'inverted')
    return resultOf(() => inbox.waitForMessage(options))
  },

  async toReceiveOtp(
    this: MatcherState,
    received: unknown,
    { value, ...options }: ReceiveOtpOptions = {},
  ): Promise<MatcherResult> {
    const inbox = inboxOf(received)
    if (this.isNot === true) throw new TypeError(NOT_OTP)
    return resultOf(async () => {
      const otp = await inbox.waitForOtp(options)
      if (value === undefined || codeMatches(otp.value, value)) return
      throw new UnexpectedEmailError(
        `The code ${otp.value} received by ${inbox.emailAddress} is not ${value}.`,
        otp.message,
      )
    })
  },
}

const NOT_OTP =
  'toReceiveOtp has no .not: a mail whose code was not recognised would pass. Use .not.toReceiveEmail().'

/** Converts a failed expectation to a result; rethrows any other error. */
async function resultOf(
  expectation: () => Promise<unknown>,
  mode: 'normal' | 'inverted' = 'normal',
): Promise<MatcherResult> {
  const isInverted = mode === 'inverted'
  try {
    await expectation()
    return { pass: !isInverted, message: () => 'The expectation was met.' }
  } catch (error) {
    if (!(error instanceof EmailTimeoutError || error instanceof UnexpectedEmailError)) throw error
    return { pass: isInverted, message: () => error.message }
  }
}

function codeMatches(code: string, value: string | RegExp): boolean {
  return typeof value === 'string' ? code === value : code.search(value) >= 0
}

function inboxOf(received: unknown): Inbox {
  // Not `instanceof`: a test may have a second copy of this package.
  if (typeof received === 'object' && received !== null && 'waitForMessage' in received) {
    return received as Inbox // It has what only an inbox has.
  }
  throw new TypeError('This matcher needs an inbox: expect(inbox).toReceiveEmail().')
}
