import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { isIP, type LookupFunction, connect as openTcp, type Socket } from 'node:net'
import {
  createSecureContext,
  getCACertificates,
  connect as openTls,
  type SecureContext,
} from 'node:tls'
import { type AddressRules, isAllowedAddress } from './address-rules.ts'
import { connectionError, OutboundError } from './outbound-error.ts'
import type { Target } from './target.ts'

/** How to connect to a target. */
export type ConnectOptions = {
  readonly rules: AddressRules
  /** Which authorities are trusted. */
  readonly secureContext: () => SecureContext
  /** Longest time for connecting, TLS included. */
  readonly connectTimeoutMs: number
  /** Ends the attempt at once. */
  readonly signal: AbortSignal
}

/**
 * Trusts the authorities that Node trusts, and those of the PEM text `extraCa`; throws when the
 * text contains none. Made at the first use and kept: reading all takes tens of milliseconds.
 */
export function createTrust(extraCa: string | null): () => SecureContext {
  if (extraCa !== null) assertCertificates(extraCa)
  let context: SecureContext | undefined
  return () => {
    context ??= createSecureContext(
      extraCa === null ? {} : { ca: [...getCACertificates('default'), extraCa] },
    )
    return context
  }
}

/** TLS would ignore a file without certificates, and every connection would fail later. */
function assertCertificates(pem: string): void {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  if (blocks === null) throw new Error('The extra CA holds no PEM certificate')
  for (const block of blocks) new X509Certificate(block)
}

/**
 * A connected socket, secured when the URL is https; or an OutboundError, and nothing is open.
 *
 * The address of the peer is checked before TLS starts: one that is not allowed gets no byte.
 */
export async function openSocket(target: Target, options: ConnectOptions): Promise<Socket> {
  const { rules, secureContext, connectTimeoutMs, signal } = options
  signal.throwIfAborted()
  let socket: Socket = openTcp({
    host: target.host,
    port: target.port,
    lookup: fixedLookup(target.addresses),
    autoSelectFamily: true,
    noDelay: true,
  })
  // An error may occur while nothing awaits the socket; the next await then finds it closed.
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

/** Resolves to the addresses that were allowed, whatever DNS returns by now. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, _options, done) => done(null, answers)
}

function startTls(socket: Socket, host: string, secureContext: SecureContext): Socket {
  const secured = openTls({
    socket,
    host,
    // SNI has names only: an address in this field is a protocol error.
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
