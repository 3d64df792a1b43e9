import { type ListenOptions, startListener } from '@mayfly/smtp/listener'
import { POP3_LIMITS, type Pop3Limits } from './limits.ts'
import { ReadMemory } from './read-memory.ts'
import { Session, type SessionOptions } from './session.ts'

/** How a server is set up. */
export type Pop3ServerOptions = ListenOptions &
  Pick<SessionOptions, 'open'> & { readonly limits?: Partial<Pop3Limits> }

/** A running server. */
export type Pop3Server = {
  readonly port: number
  /** Stops listening and ends all sessions. */
  stop(): Promise<void>
}

/** Starts listening. */
export async function startPop3Server(options: Pop3ServerOptions): Promise<Pop3Server> {
  const limits = { ...POP3_LIMITS, ...options.limits }
  const readMemory = new ReadMemory(limits)
  const listener = await startListener({
    ...options,
    limits,
    refusal: '-ERR [SYS/TEMP] too many connections\r\n',
    openSession: (transport, client) =>
      new Session(transport, {
        ...options,
        ...client,
        limits,
        offersTls: options.tls !== null,
        requestReadSlot: (owner) => readMemory.request(owner),
      }),
  })
  return { port: listener.port, stop: () => listener.stop(0) }
}
