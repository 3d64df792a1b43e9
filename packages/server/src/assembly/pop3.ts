import { startPop3Server } from '@mayfly/pop3'
import type { App } from '../app/api.ts'
import type { Content } from '../app/content.ts'
import type { Config } from '../config/config.ts'
import { openMailbox } from '../features/mailboxes/open-mailbox.ts'
import { elapsedMs } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/open.ts'
import { listenError } from './http.ts'
import { certificate } from './smtp.ts'

/** Lets programs read inboxes by POP3, when a port is set; returns the port, or null. */
export async function startPop3(deps: {
  readonly config: Config
  readonly log: Log
  readonly store: Store
  readonly mailHost: string
  readonly clock: { now(): number }
  readonly app: App
  readonly content: Content
  /** Stops it. */
  readonly parts: AsyncDisposableStack
}): Promise<number | null> {
  const { config, log, store, app, content } = deps
  const port = config.MAYFLY_POP3_PORT
  if (port === null) return null
  const mailboxes = {
    ...{ store, clock: deps.clock },
    authenticate: app.authenticate,
    consumeRequest: app.limits.consumeRequest,
    readLines: content.readLines,
    deleteMessages: app.messages.deleteSome,
  }
  try {
    const server = await startPop3Server({
      host: config.MAYFLY_SMTP_HOST,
      port,
      tls: certificate(config, deps.mailHost, deps.clock),
      now: elapsedMs,
      open: (credentials) => openMailbox(mailboxes, credentials),
      onError: (error) => log.error({ err: error }, 'a POP3 session failed'),
    })
    deps.parts.defer(() => server.stop())
    return server.port
  } catch (error) {
    throw listenError(error, 'MAYFLY_POP3')
  }
}
