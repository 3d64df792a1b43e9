import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import {
  type Check,
  type Finding,
  fine,
  type Patient,
  problem,
  reasonOf,
  warning,
} from './finding.ts'

const MiB = 1024 * 1024

/** Below this, the next big mail may not fit. */
const ROOM_LITTLE_BYTES = 1024 * MiB
const ROOM_NONE_BYTES = 100 * MiB

/** A difference that leases between nodes do not notice. */
const CLOCK_FINE_MS = 2_000

/** A difference at which one node takes another's leases for over. */
const CLOCK_BAD_MS = 30_000

/** Whether the store opens, has room, and agrees on the time. */
export const storeCheck: Check = {
  name: 'store',
  look: async (patient) => [...(await opens(patient)), ...(await hasRoom(patient))],
}

async function opens({ server, config, now }: Patient): Promise<readonly Finding[]> {
  try {
    await using operator = await server.openOperator(config)
    const [newest] = await operator.listAccounts({ emailHolds: '', limit: 1 })
    const skewMs = (await operator.databaseTime()) - now
    return [
      fine(`${withoutPassword(config.MAYFLY_DATABASE_URL)} opens and is up to date`),
      clock(skewMs, newest?.createdAt ?? 0, now),
    ]
  } catch (error) {
    return [problem(reasonOf(error), 'A start of the service makes and upgrades its store.')]
  }
}

function clock(skewMs: number, newestAt: number, now: number): Finding {
  const remedy = 'Let the machines keep their time by NTP.'
  if (newestAt > now + CLOCK_FINE_MS) {
    return problem('the clock is behind what the store already holds', remedy)
  }
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1)
  const text = `the clocks of this machine and of the store differ by ${seconds} s`
  if (Math.abs(skewMs) >= CLOCK_BAD_MS) return problem(text, remedy)
  return Math.abs(skewMs) >= CLOCK_FINE_MS ? warning(text, remedy) : fine(text)
}

async function hasRoom({ config }: Patient): Promise<readonly Finding[]> {
  const { MAYFLY_DATABASE_URL: url } = config
  if (!url.startsWith('sqlite:')) return []
  const folder = dirname(resolve(url.slice('sqlite:'.length)))
  if (!existsSync(folder)) return []
  const { bavail, bsize } = await statfs(folder)
  const freeBytes = bavail * bsize
  const text = `${Math.floor(freeBytes / MiB)} MiB are free where the store is`
  const remedy = 'Make room: without it mail is refused with 452 and calls with 503.'
  if (freeBytes < ROOM_NONE_BYTES) return [problem(text, remedy)]
  return [freeBytes < ROOM_LITTLE_BYTES ? warning(text, remedy) : fine(text)]
}

function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:/@]*):[^@]*@/, '$1:…@')
}
