import type { MessageAuth } from '@mayfly/contract'
import { createResolver } from './dns/resolver.ts'
import { loadMailauth, type SenderFacts, unverified, verifySender } from './mail-auth.ts'

/** Checks senders; a timeout gives a temporary error. */
export type SenderVerifier = {
  readonly verify: (facts: Omit<SenderFacts, 'hostName'>) => Promise<MessageAuth>
  /** Running and later checks are rejected. */
  readonly stop: () => void
}

/** Time for all sender checks of a mail. */
const DEADLINE_MS = 8_000

/** Verifies senders by these DNS servers. */
export function createSenderVerifier(
  servers: Parameters<typeof createResolver>[0]['servers'],
  hostName: string,
): SenderVerifier {
  const dns = createResolver({ servers, timeoutMs: DEADLINE_MS / 4, tries: 2 })
  const stopping = new AbortController()
  const verify: SenderVerifier['verify'] = async (facts) => {
    // The deadline begins after it: on a busy machine loading takes seconds.
    await loadMailauth()
    stopping.signal.throwIfAborted()
    // mailauth cannot be stopped, but each of its look-ups after the end is refused.
    const ended = new AbortController()
    const resolver: typeof dns.resolver = async (...query) => {
      ended.signal.throwIfAborted()
      return dns.resolver(...query)
    }
    const { promise: deadline, resolve, reject } = Promise.withResolvers<MessageAuth>()
    const timeOut = () => resolve(unverified('DNS did not respond in time'))
    const timer = setTimeout(timeOut, DEADLINE_MS)
    const stop = () => reject(stopping.signal.reason)
    stopping.signal.addEventListener('abort', stop, { once: true })
    try {
      return await Promise.race([verifySender({ ...facts, hostName }, resolver), deadline])
    } catch (error) {
      if (stopping.signal.aborted) throw error
      return unverified(error instanceof Error ? error.message : String(error))
    } finally {
      clearTimeout(timer)
      stopping.signal.removeEventListener('abort', stop)
      ended.abort()
    }
  }
  const stop = () => {
    stopping.abort()
    dns.close()
  }
  return { verify, stop }
}
