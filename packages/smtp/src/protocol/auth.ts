import { REPLIES } from './replies.ts'

/** What the client's next line is during AUTH. */
export type AuthStage = 'plain' | 'login_username' | 'login_password'

/** Where an exchange stands after one line. */
export type AuthMove =
  | { readonly kind: 'ask'; readonly stage: AuthStage; readonly reply: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reply: string }

/** Base64, or `=` and nothing at all for an empty answer. */
const BASE64 = /^(?:[A-Za-z0-9+/]+={0,2}|=?)$/

/** Begins an exchange with all that stood behind AUTH. Whoever comes is let in. */
export function beginAuth(text: string): AuthMove {
  const [mechanism, initial, ...more] = text.split(/[ \t]+/)
  if (more.length > 0) return { kind: 'failed', reply: REPLIES.badParameter }
  switch (mechanism?.toUpperCase()) {
    case 'PLAIN':
      if (initial !== undefined) return continueAuth('plain', initial)
      return { kind: 'ask', stage: 'plain', reply: REPLIES.askSecret }
    case 'LOGIN':
      if (initial !== undefined) return continueAuth('login_username', initial)
      return { kind: 'ask', stage: 'login_username', reply: REPLIES.askUsername }
    default:
      return { kind: 'failed', reply: REPLIES.unknownMechanism }
  }
}

/** Goes on with the client's next line. */
export function continueAuth(stage: AuthStage, line: string): AuthMove {
  if (line === '*') return { kind: 'failed', reply: REPLIES.authCancelled }
  if (!BASE64.test(line)) return { kind: 'failed', reply: REPLIES.badSecret }
  if (stage !== 'login_username') return { kind: 'done' }
  return { kind: 'ask', stage: 'login_password', reply: REPLIES.askPassword }
}
