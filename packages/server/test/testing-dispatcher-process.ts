// The sending side as a process of its own, in a hurry: what a test kills.
//
//   node dispatcher-process.ts    with MAYFLY_* as the service has them

import { startDispatching } from '../src/app/dispatching.ts'
import { openOutbound } from '../src/app/outbound.ts'
import { parseConfig } from '../src/config/config.ts'
import { systemClock } from '../src/platform/clock.ts'
import { createLog } from '../src/platform/log.ts'
import { openThreadSignals } from '../src/signals/thread-signals.ts'
import { openStore } from '../src/store/open.ts'

/** Long for an attempt within one busy machine, short for who waits for it to run out. */
const LEASE_MS = 10_000

/** Waits before attempts 2 to 5: as in earnest, divided by about a thousand. */
const RETRY_DELAYS_MS: readonly number[] = [5, 60, 200, 400]

const config = parseConfig(process.env)
const store = await openStore({ url: config.MAYFLY_DATABASE_URL, exclusive: false })
await startDispatching({
  config,
  store,
  log: createLog('warn'),
  clock: systemClock,
  signals: openThreadSignals('none'),
  outbound: openOutbound(config, null),
  publishDeliveries: () => {},
  pace: {
    leaseMs: LEASE_MS,
    planRetry: ({ attempt, failedAt }) => {
      const delayMs = RETRY_DELAYS_MS[attempt - 1]
      return delayMs === undefined ? null : new Date(failedAt.getTime() + delayMs)
    },
  },
})
process.stdout.write('ready\n')
