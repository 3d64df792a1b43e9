import { DnsUnavailable, recordsOrNone } from './dns-unavailable.ts'

/** The system's resolver: `dns.promises.lookup` outside of tests. */
export type SystemLookup = (
  name: string,
  options: { readonly all: true },
) => Promise<{ address: string }[]>

/**
 * Concurrent system look-ups. Each blocks one of libuv's four threads, which file access shares,
 * until an untrusted name server responds.
 */
const LOOKUPS_MAX = 2

/**
 * Looks addresses up with the system, hosts file included. `timeoutMs` includes the time in the
 * queue.
 *
 * Concurrent look-ups of one name share the result: ten deliveries to one endpoint must not take
 * every slot.
 */
export function createSystemAddresses(
  lookup: SystemLookup,
  timeoutMs: number,
): (name: string) => Promise<readonly string[]> {
  const waiting: (() => void)[] = []
  const pending = new Map<string, Promise<readonly string[]>>()
  let running = 0

  const start = async (name: string): Promise<string[]> => {
    running += 1
    try {
      const answers = await recordsOrNone(lookup(name, { all: true }))
      return answers.map(({ address }) => address)
    } finally {
      running -= 1
      waiting.shift()?.()
    }
  }

  const ask = (name: string): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      const begin = () => {
        start(name)
          .then(resolve, reject)
          .finally(() => clearTimeout(timer))
      }
      const timer = setTimeout(() => {
        const index = waiting.indexOf(begin)
        if (index >= 0) waiting.splice(index, 1)
        reject(new DnsUnavailable('ETIMEOUT'))
      }, timeoutMs)
      if (running < LOOKUPS_MAX) begin()
      else waiting.push(begin)
    })

  return (name) => {
    const shared = pending.get(name)
    if (shared !== undefined) return shared
    const answer = ask(name).finally(() => pending.delete(name))
    pending.set(name, answer)
    return answer
  }
}
