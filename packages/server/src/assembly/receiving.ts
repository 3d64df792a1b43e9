// The receiving side. It usually runs in threads of its own (threads/receiving-*), so that neither
// much mail nor hostile mail delays the API.
//
// What handles the mails of the SMTP server may be opened by the first connection: it is most of
// the memory of the thread, and many services run for long without a mail.

import { BlockList, isIPv6 } from 'node:net'
import { type MailHandler, type SmtpServer, startSmtpServer } from '@mayfly/smtp'
import type { Config } from '../config/config.ts'
import type { AdmittedRecipient } from '../features/receiving/admit.ts'
import { elapsedMs } from '../platform/clock.ts'
import { Throttle } from '../platform/throttle.ts'
import type { Receiving, ReceivingOptions } from '../threads/receiving-host.ts'

/** What is done with what the SMTP server passes on. */
export type MailHandling = {
  readonly handler: Required<MailHandler<AdmittedRecipient>>
  /** Throws when mails cannot be stored. */
  check(): Promise<void>
  stop(): Promise<void>
}

/** What receiving needs. */
export type ReceivingDeps = {
  readonly open: () => Promise<MailHandling>
  /** Otherwise by the first connection, and by later ones after it has failed. */
  readonly opensAtOnce: boolean
  /** A client has connected some milliseconds ago; called at most once a second. */
  readonly onConnection: (agoMs: number) => void
  readonly onError: (error: unknown) => void
}

/** Shortest time between two calls of `onConnection`. */
const CONNECTION_TOLD_MS = 1_000

/** Starts to receive on this thread. */
export async function startReceiving(
  deps: ReceivingDeps,
  options: ReceivingOptions,
): Promise<Receiving> {
  const handling = new HandlingOnDemand(deps)
  if (deps.opensAtOnce) await handling.use(() => {})
  try {
    // At once: opening the handling of mails takes a while.
    const connections = new Throttle(CONNECTION_TOLD_MS, (connectedMs: number) =>
      deps.onConnection(elapsedMs() - connectedMs),
    )
    const onConnection = () => {
      connections.add(elapsedMs())
      // Opens it.
      handling.tell(() => {})
    }
    const smtp = await listen(handling, { ...deps, onConnection }, options)
    return {
      port: smtp.port,
      check: () => handling.check(),
      // Without a thread of its own, a mail is stored before its sender is told.
      caughtUp: () => null,
      isCaughtUp: () => true,
      watch: () => {},
      stop: async (graceMs) => {
        await smtp.stop(graceMs)
        connections.stop()
        await handling.stop()
      },
    }
  } catch (error) {
    await handling.stop()
    throw error
  }
}

function listen(
  handling: HandlingOnDemand,
  { onConnection, onError }: { readonly onConnection: () => void } & Pick<ReceivingDeps, 'onError'>,
  options: ReceivingOptions,
): Promise<SmtpServer> {
  const { config } = options
  return startSmtpServer<AdmittedRecipient>({
    handler: handlerOf(handling),
    hostname: options.hostName,
    host: config.MAYFLY_SMTP_HOST,
    port: options.port,
    reusePort: config.MAYFLY_SMTP_THREADS > 1,
    tls: options.tls,
    usageMemory: options.usageMemory,
    limits: { messageBytesMax: config.MAYFLY_SMTP_MAX_MESSAGE_BYTES },
    ...(config.MAYFLY_SMTP_PROXY_PROTOCOL ? { isProxy: isTrustedProxy(config) } : {}),
    now: elapsedMs,
    onConnection,
    onError,
  })
}

/** Opens the handling of mails when it is first used. */
class HandlingOnDemand {
  readonly #deps: ReceivingDeps
  #opening: Promise<MailHandling> | null = null
  #opened: MailHandling | null = null

  constructor(deps: ReceivingDeps) {
    this.#deps = deps
  }

  /** The result of `work`; at once when the handling is open. */
  use<T>(work: (opened: MailHandling) => T | Promise<T>): T | Promise<T> {
    if (this.#opened !== null) return work(this.#opened)
    this.#opening ??= this.#openOnce()
    return this.#opening.then(work)
  }

  /** The same for what has no result. */
  tell(work: (opened: MailHandling) => void): void {
    const told = this.use(work)
    if (told instanceof Promise) told.catch(this.#deps.onError)
  }

  /** Throws when mails cannot be stored. Nothing is known of that before it is opened. */
  async check(): Promise<void> {
    await this.#opened?.check()
  }

  async stop(): Promise<void> {
    const opened = await this.#opening?.catch(() => null)
    await opened?.stop()
  }

  async #openOnce(): Promise<MailHandling> {
    try {
      this.#opened = await this.#deps.open()
      return this.#opened
    } catch (error) {
      this.#opening = null
      throw error
    }
  }
}

/** Passes everything on; what comes before the handling is open waits for it. */
function handlerOf(handling: HandlingOnDemand): MailHandling['handler'] {
  return {
    authenticate: async (...sent) => handling.use(({ handler }) => handler.authenticate(...sent)),
    admitSender: (envelope) => handling.use(({ handler }) => handler.admitSender(envelope)),
    admit: (...sent) => handling.use(({ handler }) => handler.admit(...sent)),
    receive: async (mail) => handling.use(({ handler }) => handler.receive(mail)),
    rejected: (mail) => handling.tell(({ handler }) => handler.rejected(mail)),
    handshakeFailed: (failed) => handling.tell(({ handler }) => handler.handshakeFailed(failed)),
  }
}

function isTrustedProxy({ MAYFLY_TRUSTED_PROXIES: networks }: Config) {
  const trusted = new BlockList()
  const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) trusted.addAddress(address, familyOf(address))
    else trusted.addSubnet(address, Number(bits), familyOf(address))
  }
  return (address: string) => trusted.check(address, familyOf(address))
}
