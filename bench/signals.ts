// Announcements between nodes on one PostgreSQL: the time from `announce` on one node to `onSignal`
// on another, with the connection as it is and with synchronous commits.
//
//   node bench/signals.ts [NODES] [ANNOUNCEMENTS A SECOND AND NODE] [SECONDS]

import { setTimeout as delay } from 'node:timers/promises'
import type { InboxId } from '@mayfly/contract'
import { openNodeSignals } from '../packages/server/src/signals/node-signals.ts'
import { startPostgres } from '../packages/server/test/testing-postgres.ts'

const [nodes = 8, perSecond = 500, seconds = 10] = process.argv.slice(2).map(Number)
const TICK_MS = 10

await using postgres = await startPostgres({})
const synchronous = `${postgres.url}?options=-c%20synchronous_commit%3Don`
console.log(`${nodes} nodes, each announces ${perSecond} times a second for ${seconds} s`)
for (const [name, url] of [
  ['synchronous_commit=off', postgres.url],
  ['synchronous_commit=on', synchronous],
] as const) {
  const latencies = await measure(url)
  const at = (part: number) => latencies[Math.floor(latencies.length * part)]?.toFixed(1)
  const heard = Math.round(latencies.length / seconds)
  console.log(`${name}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${heard} heard a second`)
}

/** Milliseconds until each announcement was heard by each other node, sorted. */
async function measure(url: string): Promise<readonly number[]> {
  const latencies: number[] = []
  const open = (_: unknown, node: number) =>
    openNodeSignals({
      url,
      node: `node ${node}`,
      // The id of an inbox is the time of its announcement here.
      onSignal: (ids) => latencies.push(...ids.map((id) => performance.now() - Number(id))),
      onMessage: () => {},
      onForeign: () => {},
      onReconnect: () => {},
      onLost: () => {},
      onError: (error) => console.error(error),
    })
  const signals = Array.from({ length: nodes }, open)
  await delay(2_000)
  const endAt = performance.now() + seconds * 1_000
  const perTick = Math.round((perSecond * TICK_MS) / 1_000)
  while (performance.now() < endAt) {
    for (const one of signals) {
      const ids = Array.from({ length: perTick }, (_, i) => String(performance.now() + i / 1e6))
      // A brand by hand: nobody looks the ids up.
      one.announce(ids as InboxId[])
    }
    await delay(TICK_MS)
  }
  await delay(1_000)
  await Promise.all(signals.map((one) => one.close()))
  return latencies.sort((a, b) => a - b)
}
