import { describePattern, type MessageFilter, matches, NO_OTP, type TextPattern } from './filter.ts'
import type { Link, Message, Otp } from './messages.ts'
import type { Expectation } from './waiting.ts'

/** A one-time code and the message that contains it. */
export type ReceivedOtp = Otp & { readonly message: Message }

/** A link and the message that contains it. */
export type ReceivedLink = Link & { readonly message: Message }

/** Expects a message. */
export function expectedMessage(filter: MessageFilter): Expectation<Message> {
  return { what: 'a message', for: 'message', filter, pick: (message) => ({ found: message }) }
}

/** Expects a message with a one-time code, of a form if that is known. */
export function expectedOtp({
  otpFormat,
  ...filter
}: MessageFilter & { readonly otpFormat?: string | undefined }): Expectation<ReceivedOtp> {
  return {
    what: otpFormat === undefined ? 'a one-time code' : `a one-time code ${otpFormat}`,
    for: 'otp',
    filter,
    otpFormat,
    pick: (message) =>
      message.otp === null ? { reason: NO_OTP } : { found: { ...message.otp, message } },
  }
}

/** Expects a message with a link whose URL matches the pattern; if none does, whose text does. */
export function expectedLink({
  link: pattern,
  ...filter
}: MessageFilter & { readonly link?: TextPattern | undefined }): Expectation<ReceivedLink> {
  const isMatching = (text: string) => pattern === undefined || matches(text, pattern)
  const described = pattern === undefined ? '' : describePattern(pattern)
  return {
    what: pattern === undefined ? 'a link' : `a link that matches ${described}`,
    for: 'message',
    filter,
    pick: (message) => {
      const { links } = message
      const link =
        links.find(({ url }) => isMatching(url)) ?? links.find(({ text }) => isMatching(text))
      if (link !== undefined) return { found: { ...link, message } }
      if (links.length === 0) return { reason: 'it has no links' }
      if (links.length === 1) return { reason: `its only link does not match ${described}` }
      return { reason: `none of its ${links.length} links matches ${described}` }
    },
  }
}
