import { setTimeout as delay } from 'node:timers/promises'
import { banner } from '../config/banner.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { settingsHelp } from '../config/help.ts'
import { StartRefused, StorageUnavailable } from '../errors.ts'
import { elapsedMs } from '../platform/clock.ts'
import { createLog, type Log } from '../platform/log.ts'
import { standardOutput } from '../platform/log-output.ts'
import { logText } from '../platform/log-text.ts'
import { type Service, startService } from './service.ts'

/** The process ends after this time even when the service has not stopped. */
const STOP_DEADLINE_MS = 9_500

/** How long the process waits for the last lines of its log to be read. */
const LOG_MS_MAX = 200

/** How long a start waits for PostgreSQL, which may be restarting. */
const DATABASE_MS_MAX = 30_000

const DATABASE_RETRY_MS = 1_000

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
    if (config.MAYFLY_LOG_FORMAT === 'text') standardOutput.format = logText
    const log = createLog(config.MAYFLY_LOG_LEVEL)
    const service = await startWithDatabase(config, log)
    // First: the reader of `ready` may send a signal at once.
    stopOnSignals(service, log)
    const signInLink = await service.createSignInLink().catch((error: unknown) => {
      log.warn({ err: error }, 'the sign-in link could not be created; `mayfly open` creates one')
      return null
    })
    if (config.MAYFLY_LOG_FORMAT === 'text')
      standardOutput.write(banner(service, config, signInLink))
    else logReady(log, { service, config, signInLink })
  } catch (error) {
    fail(error)
  }
}

/** Starts the service; while PostgreSQL is not available, tries again. */
async function startWithDatabase(config: Config, log: Log): Promise<Service> {
  const until = elapsedMs() + DATABASE_MS_MAX
  for (;;) {
    try {
      return await startService(config, log)
    } catch (error) {
      const cause = error instanceof StartRefused ? error.cause : error
      const isShared = config.MAYFLY_DATABASE_URL.startsWith('postgres')
      if (!isShared || !(cause instanceof StorageUnavailable)) throw error
      if (elapsedMs() >= until) {
        const seconds = DATABASE_MS_MAX / 1000
        throw new StartRefused(
          `PostgreSQL was not available for ${seconds} s. ${cause.message}. Check MAYFLY_DATABASE_URL.`,
        )
      }
      log.warn({ reason: cause.message }, 'PostgreSQL is not available; starting again in 1 s')
      await delay(DATABASE_RETRY_MS)
    }
  }
}

/** Logs the facts of the banner, for programs. */
function logReady(
  log: Log,
  {
    service,
    config,
    signInLink,
  }: { readonly service: Service; readonly config: Config; readonly signInLink: string | null },
): void {
  const { httpUrl, smtpPort, pop3Port, providersPort, version, commit, hasAccounts } = service
  const others = {
    ...(pop3Port === null ? {} : { pop3Port }),
    ...(providersPort === null ? {} : { providersPort }),
    version,
    ...(commit === null ? {} : { commit }),
  }
  log.info({ httpUrl, smtpPort, ...others }, 'ready')
  if (signInLink !== null) {
    log.info({ signInLink }, 'open the dashboard with this link; it works once, within 10 minutes')
  }
  const apis = 'the dashboard and the APIs of Mailpit, MailHog and MailDev need no key'
  if (config.MAYFLY_CATCH_ALL === 'on') {
    log.info(`MAYFLY_CATCH_ALL=on: mail to any address is accepted; ${apis}`)
  }
  if (config.MAYFLY_CATCH_ALL === 'open') {
    const warning = 'anybody who reaches these ports can read and send: private networks only'
    log.warn(`MAYFLY_CATCH_ALL=open: ${warning}; ${apis}`)
  }
  if (hasAccounts) return
  // As in a container.
  log.info('No account exists. Start with one of these, or register one with POST /v1/accounts:')
  log.info('MAYFLY_CATCH_ALL=open takes mail for any address, without keys: private networks only')
  log.info('MAYFLY_INITIAL_API_KEY=mf_live_… creates an account with this key')
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
      void exit(1)
    }, STOP_DEADLINE_MS).unref()
    try {
      await service.stop()
      log.info('stopped')
      await exit(0)
    } catch (error) {
      log.error({ err: error }, 'the service did not stop cleanly')
      await exit(1)
    }
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
}

/** Ends the process when the log is written. */
async function exit(code: number): Promise<never> {
  await standardOutput.flush(LOG_MS_MAX)
  process.exit(code)
}

/** Prints one line for an error that the operator can correct, and the stack of a bug. */
function fail(error: unknown): never {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`mayfly: ${error instanceof StartRefused ? error.message : text}\n`)
  process.exit(1)
}
