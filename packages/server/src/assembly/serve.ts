import { banner } from '../config/banner.ts'
import { loadConfig } from '../config/config.ts'
import { settingsHelp } from '../config/help.ts'
import { StartRefused } from '../errors.ts'
import { createLog, type Log } from '../platform/log.ts'
import { type Service, startService } from './service.ts'

/** The process ends after this time even when the service has not stopped. */
const STOP_DEADLINE_MS = 9_500

const HELP = `mayfly serve: throw-away email inboxes for automated tests

Starts the service. Everything is set by environment variables:

${settingsHelp()}

Example:
  MAYFLY_HTTP_PORT=9025 MAYFLY_DEFAULT_PLAN=unlimited mayfly serve
`

/** Runs the service until a signal, or prints its help. */
export async function serve(args: readonly string[]): Promise<void> {
  // `mayfly help serve` too.
  if (args[0] === 'help' || args.includes('--help') || args.includes('-h')) {
    process.stdout.write(HELP)
    return
  }
  // As a command of `mayfly`, its own name is the first argument.
  const unexpected = args[0] === 'serve' ? args[1] : args[0]
  if (unexpected !== undefined) {
    process.stderr.write(
      `mayfly: unexpected argument "${unexpected}". Settings are environment variables: mayfly serve --help lists them.\n`,
    )
    process.exit(2)
  }
  try {
    const config = loadConfig()
    const log = createLog(config.MAYFLY_LOG_LEVEL)
    const service = await startService(config, log)
    // First: whoever reads `ready` may send a signal at once.
    stopOnSignals(service, log)
    const { httpUrl, smtpPort, pop3Port } = service
    log.info({ httpUrl, smtpPort, ...(pop3Port === null ? {} : { pop3Port }) }, 'ready')
    const signInLink = await service.createSignInLink()
    if (signInLink !== null) {
      log.info(
        { signInLink },
        'open the dashboard with this link; it works once, within 10 minutes',
      )
    }
    if (process.stdout.isTTY) process.stdout.write(banner(service, config, signInLink))
  } catch (error) {
    fail(error)
  }
}

function stopOnSignals(service: Service, log: Log): void {
  let isStopping = false
  const stop = async () => {
    // The second signal ends the process at once.
    if (isStopping) process.exit(1)
    isStopping = true
    log.info('stopping')
    setTimeout(() => {
      log.error(`the service did not stop within ${STOP_DEADLINE_MS} ms; exiting`)
      process.exit(1)
    }, STOP_DEADLINE_MS).unref()
    try {
      await service.stop()
      log.info('stopped')
      process.exit(0)
    } catch (error) {
      log.error({ err: error }, 'the service did not stop cleanly')
      process.exit(1)
    }
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
}

/** Prints one line for what the operator can correct, and the stack of a bug. */
function fail(error: unknown): never {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`mayfly: ${error instanceof StartRefused ? error.message : text}\n`)
  process.exit(1)
}
