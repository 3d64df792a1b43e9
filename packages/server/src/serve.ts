import { banner } from './banner.ts'
import { loadConfig } from './config.ts'
import { StartRefused } from './errors.ts'
import { createLog } from './platform/log.ts'
import { startService } from './service.ts'
import { settingsHelp } from './settings-help.ts'

/** The service must be gone by then, come what may. */
const STOP_DEADLINE_MS = 9_500

const HELP = `mayfly serve: throw-away email inboxes for automated tests

Starts the service. Everything is set by environment variables:

${settingsHelp()}

Example:
  MAYFLY_HTTP_PORT=9025 MAYFLY_DEFAULT_PLAN=unlimited mayfly serve
`

/** Runs the service until a signal, or explains it. */
export async function serve(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) process.stdout.write(HELP)
  else await start()
}

async function start(): Promise<void> {
  try {
    const config = loadConfig()
    const log = createLog(config.MAYFLY_LOG_LEVEL)
    const service = await startService(config, log)
    log.info({ httpUrl: service.httpUrl, smtpPort: service.smtpPort }, 'ready')
    if (process.stdout.isTTY) process.stdout.write(banner(service, config))
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stopOnce)

    let stopping = false
    async function stopOnce(): Promise<void> {
      // Asked twice, whoever asks is in a hurry.
      if (stopping) process.exit(1)
      stopping = true
      log.info('stopping')
      setTimeout(() => {
        log.error('not all could be finished in time')
        process.exit(0)
      }, STOP_DEADLINE_MS).unref()
      await service.stop()
      log.info('stopped')
      process.exit(0)
    }
  } catch (error) {
    fail(error)
  }
}

/** One line for what an operator can mend; the whole story for what is our bug. */
function fail(error: unknown): never {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`mayfly: ${error instanceof StartRefused ? error.message : text}\n`)
  process.exit(1)
}
