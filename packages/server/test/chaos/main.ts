// Faults under load, by seed: npm run chaos -- [--seed 1] [--seeds 1] [--seconds 120] [--nodes 3]
//   npm run chaos -- --failover    a standby of PostgreSQL takes over, synchronous and not
//
// Prints what each fault did, and each violation; the exit status is 1 when there is one.

import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runFailover } from './failover.ts'
import { runChaos } from './run.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '120' },
    nodes: { type: 'string', default: '3' },
    failover: { type: 'boolean', default: false },
    'recovery-ms': { type: 'string', default: '5000' },
  },
})
const log = (line: string) => process.stdout.write(`${line}\n`)
const first = Number(values.seed)

for (const isSynchronous of values.failover ? [true, false] : []) {
  const { acknowledged, lost, outageMs } = await runFailover(isSynchronous)
  const kind = isSynchronous ? 'synchronous' : 'asynchronous'
  log(`${kind} standby: ${acknowledged} acknowledged, ${lost} lost, ${outageMs} ms without a 250`)
  if (isSynchronous && lost > 0) process.exitCode = 1
}

const seeds = values.failover ? 0 : Number(values.seeds)
for (let seed = first; seed < first + seeds; seed++) {
  const { history, violations, recoveryMs } = await runChaos({
    seed,
    durationMs: Number(values.seconds) * 1_000,
    nodes: Number(values.nodes),
    holdMsMax: 6_000,
    recoveryMsMax: Number(values['recovery-ms']),
    log,
  })
  const { sends, waits, webhookRequests, faults } = history
  const acknowledged = sends.filter(({ reply }) => reply?.startsWith('250')).length
  log(
    `seed ${seed}: ${faults.length} faults, ${acknowledged} of ${sends.length} mails acknowledged, ` +
      `${waits.length} waits, ${webhookRequests.length} webhook requests, ` +
      `accepting again within ${recoveryMs} ms, ${violations.length} violations`,
  )
  for (const { kind, detail } of violations) log(`  ${kind}: ${detail}`)
  if (violations.length === 0) continue
  process.exitCode = 1
  const file = join(tmpdir(), `mayfly-chaos-${seed}.json`)
  writeFileSync(file, JSON.stringify(history, null, 1))
  log(`  the history is in ${file}`)
}
