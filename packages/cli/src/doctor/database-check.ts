import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import {
  type Check,
  type CheckContext,
  type Finding,
  fine,
  problem,
  reasonOf,
  warning,
} from './check.ts'

const MiB = 1024 * 1024

/** Below this, space may run out soon. */
const FREE_LOW_BYTES = 1024 * MiB

/** Below this, the next large mails may not fit. */
const FREE_CRITICAL_BYTES = 100 * MiB

/** Up to this difference, leases between nodes are not affected. */
const CLOCK_FINE_MS = 2_000

/** From this difference on, a node considers leases of another node expired. */
const CLOCK_BAD_MS = 30_000

/** Checks that the database can be opened, its clock and its disk space. */
export const databaseCheck: Check = {
  name: 'database',
  run: async (context) => [...(await canBeOpened(context)), ...(await hasDiskSpace(context))],
}

async function canBeOpened({ server, config, now }: CheckContext): Promise<readonly Finding[]> {
  try {
    await using operator = await server.openOperator(config)
    const [newest] = await operator.listAccounts({ emailContains: '', limit: 1 })
    const skewMs = (await operator.databaseTime()) - now
    return [
      fine(`${withoutPassword(config.MAYFLY_DATABASE_URL)} can be opened, its schema is current`),
      clock(skewMs, newest?.createdAt ?? 0, now),
    ]
  } catch (error) {
    return [problem(reasonOf(error), 'Start the service: it creates and upgrades its database.')]
  }
}

function clock(skewMs: number, newestAt: number, now: number): Finding {
  const remedy = 'Synchronise the clocks with NTP.'
  if (newestAt > now + CLOCK_FINE_MS) {
    return problem('the clock of this machine is behind the newest record in the database', remedy)
  }
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1)
  const text = `the clocks of this machine and the database differ by ${seconds} s`
  if (Math.abs(skewMs) >= CLOCK_BAD_MS) return problem(text, remedy)
  return Math.abs(skewMs) >= CLOCK_FINE_MS ? warning(text, remedy) : fine(text)
}

async function hasDiskSpace({ config }: CheckContext): Promise<readonly Finding[]> {
  const { MAYFLY_DATABASE_URL: url } = config
  if (!url.startsWith('sqlite:')) return []
  const folder = dirname(resolve(url.slice('sqlite:'.length)))
  if (!existsSync(folder)) return []
  const { bavail, bsize } = await statfs(folder)
  const freeBytes = bavail * bsize
  const text = `${Math.floor(freeBytes / MiB)} MiB are free on the disk of the database`
  const remedy = 'Free disk space: without it, mail is refused with 452 and API calls with 503.'
  if (freeBytes < FREE_CRITICAL_BYTES) return [problem(text, remedy)]
  return [freeBytes < FREE_LOW_BYTES ? warning(text, remedy) : fine(text)]
}

function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:/@]*):[^@]*@/, '$1:…@')
}
