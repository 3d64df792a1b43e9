// The AUTH command with the mechanisms PLAIN (RFC 4616) and LOGIN: a name and a password in base64.

import type { AuthLine, Dialogue } from './dialogue.ts'
import type { Credentials, Step } from './interface.ts'

/** Base64, or `=` or nothing for an empty response. */
const BASE64 = /^(?:[A-Za-z0-9+/]+={0,2}|=?)$/

const PROMPTS = {
  plain: 'askSecret',
  login_username: 'askUsername',
  login_password: 'askPassword',
} as const

/** Begins an exchange, or requests a verdict when the line is complete. */
export function beginAuth<R>(dialogue: Dialogue<R>, argument: string): Step<R> | null {
  if (!dialogue.options.offersAuth) return dialogue.fail('notOffered')
  if (!dialogue.helo?.isExtended) return dialogue.fail('helloFirst')
  if (dialogue.isAuthenticated) return dialogue.fail('authAlready')
  if (dialogue.mail !== null) return dialogue.fail('mailAlready')
  const [mechanism, initial, ...more] = argument.split(/[ \t]+/)
  if (more.length > 0) return dialogue.fail('badParameter')
  switch (mechanism?.toUpperCase()) {
    case 'PLAIN':
      return begin(dialogue, { name: 'plain' }, initial)
    case 'LOGIN':
      return begin(dialogue, { name: 'login_username' }, initial)
    default:
      return dialogue.fail('unknownMechanism')
  }
}

function begin<R>(
  dialogue: Dialogue<R>,
  awaited: AuthLine,
  initial: string | undefined,
): Step<R> | null {
  return initial === undefined
    ? askFor(dialogue, awaited)
    : readResponse(dialogue, awaited, initial)
}

/** Handles one line of an exchange. */
export function readAuthLine<R>(
  dialogue: Dialogue<R>,
  awaited: AuthLine,
  line: string,
): Step<R> | null {
  dialogue.transcript.client('<hidden>')
  return readResponse(dialogue, awaited, line)
}

function readResponse<R>(
  dialogue: Dialogue<R>,
  awaited: AuthLine,
  response: string,
): Step<R> | null {
  if (response === '*') return dialogue.fail('authCancelled')
  const text = BASE64.test(response) ? Buffer.from(response, 'base64').toString('utf8') : null
  if (text === null) return dialogue.fail('badSecret')
  switch (awaited.name) {
    case 'login_username':
      return askFor(dialogue, { name: 'login_password', username: text })
    case 'login_password':
      return verify(dialogue, { username: awaited.username, password: text })
    case 'plain': {
      // The first part, the identity to act as, is empty or equal to the second in practice.
      const [, username, password, ...more] = text.split('\0')
      if (username === undefined || password === undefined || more.length > 0) {
        return dialogue.fail('badSecret')
      }
      return verify(dialogue, { username, password })
    }
  }
}

function verify<R>(dialogue: Dialogue<R>, credentials: Credentials): Step<R> {
  dialogue.state = { name: 'verifying' }
  return { kind: 'credentials', credentials }
}

function askFor<R>(dialogue: Dialogue<R>, awaited: AuthLine): null {
  dialogue.state = { name: 'authenticating', awaited }
  return dialogue.reply(PROMPTS[awaited.name])
}
