import type { CallOptions } from './connection.ts'
import type { MessageFilter, TextPattern } from './filter.ts'
import type { CheckFilter } from './inbox-calls.ts'
import type { OptionKinds } from './options.ts'
import type { WaitStart } from './wait-call.ts'

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
    /** Default: 5, or half the time of other waits where that is less, as in Jest. */
    readonly withinSeconds?: number | undefined
  }

/** How long to wait for a message to check, and which mail to consider. */
export type CheckOptions = CallOptions &
  WaitStart &
  CheckFilter & { readonly timeoutSeconds?: number | undefined }

const FILTER = { subject: 'pattern', from: 'pattern', text: 'pattern', q: 'text' } as const
const START = { since: 'time', after: 'text', signal: 'signal' } as const

/** The options of `waitForMessage`. */
export const WAIT = {
  ...FILTER,
  timeoutSeconds: 'number',
  ...START,
} as const satisfies OptionKinds<WaitOptions>

/** The options of `waitForOtp`. */
export const OTP = { ...WAIT, otpFormat: 'text' } as const satisfies OptionKinds<OtpOptions>

/** The options of `waitForLink`. */
export const LINK = { link: 'pattern', ...WAIT } as const satisfies OptionKinds<LinkOptions>

/** The options of `waitForNoMessage`. */
export const NO_EMAIL = {
  ...FILTER,
  withinSeconds: 'number',
  ...START,
} as const satisfies OptionKinds<NoEmailOptions>

/** The options of `check` and `assert`. */
export const CHECK = {
  ...{ subject: 'text', from: 'text', text: 'text', q: 'text' },
  timeoutSeconds: 'number',
  ...START,
} as const satisfies OptionKinds<CheckOptions>
