import { describePattern, type MessageFilter, matches, NO_OTP, type TextPattern } from './filter.ts'
import type { Link, Message, Otp } from './messages.ts'
import type { Wanted } from './waiting.ts'

/** A one-time code and the message that it came in. */
export type ReceivedOtp = Otp & { readonly message: Message }

/** A link and the message that it came in. */
export type ReceivedLink = Link & { readonly message: Message }

/** A message as a whole. */
export function wantMessage(filter: MessageFilter): Wanted<Message> {
  return { what: 'a message', for: 'message', filter, pick: (message) => ({ found: message }) }
}

/** The one-time code of a message. */
export function wantOtp(filter: MessageFilter): Wanted<ReceivedOtp> {
  return {
    what: 'a one-time code',
    for: 'otp',
    filter,
    pick: (message) =>
      message.otp === null ? { reason: NO_OTP } : { found: { ...message.otp, message } },
  }
}

/** The first link whose address, or failing that whose text, is like the pattern. */
export function wantLink(
  pattern: TextPattern | undefined,
  filter: MessageFilter,
): Wanted<ReceivedLink> {
  const suffix = pattern === undefined ? '' : ` like ${describePattern(pattern)}`
  return {
    what: `a link${suffix}`,
    for: 'message',
    filter,
    pick: (message) => {
      const { links } = message
      const link =
        pattern === undefined
          ? links[0]
          : (links.find(({ url }) => matches(url, pattern)) ??
            links.find(({ text }) => matches(text, pattern)))
      if (link !== undefined) return { found: { ...link, message } }
      return { reason: `none of its ${links.length} links is${suffix || ' there'}` }
    },
  }
}
