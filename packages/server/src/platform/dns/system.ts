import { answersOrNone, DnsUnavailable } from './answer.ts'

/** The look-up of the system: `dns.promises.lookup` outside of tests. */
export type SystemLookup = (
  name: string,
  options: { readonly all: true },
) => Promise<{ address: string }[]>

/**
 * System look-ups at a time. Each holds one of the four threads that file access shares, for as
 * long as a name server that somebody else chose cares to keep silent.
 */
const LOOKUPS_MAX = 2

/**
 * All addresses by the system, hosts file included; given up after `timeoutMs`, queue included.
 *
 * Who asks for a name that is being looked up shares the answer: ten deliveries to one endpoint
 * must not take every place.
 */
export function createSystemAddresses(
  lookup: SystemLookup,
  timeoutMs: number,
): (name: string) => Promise<readonly string[]> {
  const waiting: (() => void)[] = []
  const asked = new Map<string, Promise<readonly string[]>>()
  let running = 0

  const start = async (name: string): Promise<string[]> => {
    running += 1
    try {
      const answers = await answersOrNone(lookup(name, { all: true }))
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
        const place = waiting.indexOf(begin)
        if (place >= 0) waiting.splice(place, 1)
        reject(new DnsUnavailable('ETIMEOUT'))
      }, timeoutMs)
      if (running < LOOKUPS_MAX) begin()
      else waiting.push(begin)
    })

  return (name) => {
    const earlier = asked.get(name)
    if (earlier !== undefined) return earlier
    const answer = ask(name).finally(() => asked.delete(name))
    asked.set(name, answer)
    return answer
  }
}
