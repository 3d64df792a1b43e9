import { once } from 'node:events'
import { isIP, type LookupFunction, connect as openTcp, type Socket } from 'node:net'
import { connect as openTls, type SecureContext } from 'node:tls'
import { type AddressRules, isAllowedAddress } from './address-rules.ts'
import { connectionError, OutboundError } from './failure.ts'
import type { Target } from './target.ts'

/** What it takes to connect to a judged target. */
export type ConnectOptions = {
  readonly rules: AddressRules
  readonly secureContext: () => SecureContext
  /** Longest time for connecting, TLS included. */
  readonly connectTimeoutMs: number
  /** Ends the attempt at once. */
  readonly signal: AbortSignal
}

/**
 * A connected socket, secured when the URL asks for it; or an OutboundError, and nothing is open.
 *
 * TLS starts after the peer was judged once more: an address that is not allowed gets no byte.
 */
export async function openSocket(target: Target, options: ConnectOptions): Promise<Socket> {
  const { rules, secureContext, connectTimeoutMs, signal } = options
  signal.throwIfAborted()
  let socket: Socket = openTcp({
    host: target.host,
    port: target.port,
    lookup: judgedAnswers(target.addresses),
    autoSelectFamily: true,
    noDelay: true,
  })
  // An error may come when nobody waits for one; the wait that is then made finds it closed.
  socket.on('error', () => {})

  const giveUp = () => socket.destroy(new OutboundError('timeout'))
  const timer = setTimeout(giveUp, connectTimeoutMs)
  signal.addEventListener('abort', giveUp)
  try {
    await reached(socket, 'connect')
    if (!isAllowedAddress(rules, socket.remoteAddress ?? '')) throw new OutboundError('refused')
    if (target.url.protocol === 'https:') {
      socket = startTls(socket, target.host, secureContext())
      await reached(socket, 'secureConnect')
    }
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
  }
}

/** Stands in for the system's look-up: the judged answers, whatever DNS says by now. */
function judgedAnswers(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, _options, done) => done(null, answers)
}

function startTls(socket: Socket, host: string, secureContext: SecureContext): Socket {
  const secured = openTls({
    socket,
    host,
    // Server names are for names: an address in this field is a protocol error.
    servername: isIP(host) === 0 ? host : '',
    secureContext,
    ALPNProtocols: ['http/1.1'],
  })
  return secured.on('error', () => {})
}

async function reached(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  try {
    await once(socket, event)
  } catch (error) {
    throw connectionError(event === 'connect' ? 'connect' : 'tls', error)
  }
}
