import { EmailTimeoutError, UnexpectedEmailError } from '../expectation-errors.ts'
import type { Inbox, WaitOptions } from '../inbox.ts'

/** What a mail must be like, and how long to wait: for it, or with `.not` for its absence. */
export type ReceiveEmailOptions = WaitOptions & {
  /** With `.not`: how long none may come; 5 unless said otherwise. */
  readonly withinSeconds?: number | undefined
}

/** What a code must be like, and how long to wait for it. */
export type ReceiveOtpOptions = WaitOptions & {
  /** The code itself, or an expression that it must match. */
  readonly value?: string | RegExp | undefined
}

/** The matchers as a test writes them. */
type InboxMatchers = {
  /** Waits until a message is there; with `.not`, until it is clear that none comes. */
  toReceiveEmail(options?: ReceiveEmailOptions): Promise<void>
  /** Waits until a one-time code is there. */
  toReceiveOtp(options?: ReceiveOtpOptions): Promise<void>
}

/** An `expect` that knows the matchers when it is given an inbox, and is the runner's otherwise. */
export type InboxExpect<Base extends (actual: never) => unknown> = ((
  inbox: Inbox,
) => ReturnType<Base> & InboxMatchers & { readonly not: InboxMatchers }) &
  Base

/** What a matcher tells its runner. */
export type Verdict = { readonly pass: boolean; readonly message: () => string }

/** What a runner tells a matcher. */
export type MatcherState = { readonly isNot?: boolean }

/** The matchers as `expect.extend` takes them, in Vitest, Jest and Playwright alike. */
export const matchers = {
  async toReceiveEmail(
    this: MatcherState,
    received: unknown,
    options: ReceiveEmailOptions = {},
  ): Promise<Verdict> {
    const inbox = inboxOf(received)
    if (this.isNot === true) return verdict(() => inbox.expectNoEmail(options), 'inverted')
    return verdict(() => inbox.waitForMessage(options))
  },

  async toReceiveOtp(
    this: MatcherState,
    received: unknown,
    { value, ...options }: ReceiveOtpOptions = {},
  ): Promise<Verdict> {
    const inbox = inboxOf(received)
    if (this.isNot === true) throw new TypeError(NOT_OTP)
    return verdict(async () => {
      const otp = await inbox.waitForOtp(options)
      if (value === undefined || isLike(otp.value, value)) return
      throw new UnexpectedEmailError(
        `The code ${otp.value} that reached ${inbox.emailAddress} is not ${value}.`,
        otp.message,
      )
    })
  },
}

const NOT_OTP =
  'toReceiveOtp has no .not: a mail whose code was not recognised would pass. Use .not.toReceiveEmail().'

/** A failed expectation becomes a verdict; anything else that goes wrong is thrown on. */
async function verdict(
  expectation: () => Promise<unknown>,
  sense: 'straight' | 'inverted' = 'straight',
): Promise<Verdict> {
  const isInverted = sense === 'inverted'
  try {
    await expectation()
    return { pass: !isInverted, message: () => 'The expectation held.' }
  } catch (error) {
    if (!(error instanceof EmailTimeoutError || error instanceof UnexpectedEmailError)) throw error
    return { pass: isInverted, message: () => error.message }
  }
}

function isLike(code: string, value: string | RegExp): boolean {
  return typeof value === 'string' ? code === value : code.search(value) >= 0
}

function inboxOf(received: unknown): Inbox {
  // Not `instanceof`: a test may have a second copy of this package.
  if (typeof received === 'object' && received !== null && 'waitForMessage' in received) {
    return received as Inbox // It has what only an inbox has.
  }
  throw new TypeError('This matcher needs an inbox: expect(inbox).toReceiveEmail().')
}
