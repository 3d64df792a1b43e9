import { answersOrNone, DnsUnavailable } from './dns-answer.ts'

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

/** All addresses by the system, hosts file included; given up after `timeoutMs`, queue included. */
export function createSystemAddresses(
  lookup: SystemLookup,
  timeoutMs: number,
): (name: string) => Promise<readonly string[]> {
  const waiting: (() => void)[] = []
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

  return (name) =>
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
}
