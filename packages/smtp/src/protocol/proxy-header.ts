// The header that a proxy sends before the bytes of its client, so that the client's address is
// known: the PROXY protocol of HAProxy, versions 1 (a line of text) and 2 (binary).

/** The kind of the first bytes of a connection. */
export type ProxyHeader =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'malformed' }
  | {
      readonly kind: 'complete'
      /** Null when the proxy connects for itself, as its health checks do. */
      readonly clientAddress: string | null
      /** The client's bytes begin here. */
      readonly lengthBytes: number
    }

const INCOMPLETE: ProxyHeader = { kind: 'incomplete' }
const MALFORMED: ProxyHeader = { kind: 'malformed' }

/** The longest line of version 1, with its CRLF. */
const TEXT_BYTES_MAX = 107

const SIGNATURE = '\r\n\r\n\0\r\nQUIT\n'
const FIXED_BYTES = 16

/** Addresses take at most 216 bytes; what proxies add about TLS and their network a few hundred. */
const VARIABLE_BYTES_MAX = 4096

/** Reads the header at the start of `bytes`. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  const start = bytes.toString('latin1', 0, SIGNATURE.length)
  if (start.startsWith('PROXY ')) return readText(bytes)
  if (start === SIGNATURE) return readBinary(bytes)
  const isBeginning = 'PROXY '.startsWith(start) || SIGNATURE.startsWith(start)
  return isBeginning ? INCOMPLETE : MALFORMED
}

function readText(bytes: Buffer): ProxyHeader {
  const end = bytes.indexOf('\r\n')
  if (end === -1) return bytes.length < TEXT_BYTES_MAX ? INCOMPLETE : MALFORMED
  const lengthBytes = end + 2
  if (lengthBytes > TEXT_BYTES_MAX) return MALFORMED
  const [, family, source] = bytes.toString('latin1', 0, end).split(' ')
  if (family === 'UNKNOWN') return { kind: 'complete', clientAddress: null, lengthBytes }
  const isAddress =
    (family === 'TCP4' && IPV4.test(source ?? '')) || (family === 'TCP6' && isIpv6(source ?? ''))
  if (!isAddress || source === undefined) return MALFORMED
  return { kind: 'complete', clientAddress: source, lengthBytes }
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

function isIpv6(text: string): boolean {
  return /^[\da-f:.]{2,45}$/i.test(text) && URL.canParse(`http://[${text}]`)
}

function readBinary(bytes: Buffer): ProxyHeader {
  if (bytes.length < FIXED_BYTES) return INCOMPLETE
  const command = bytes.readUInt8(12)
  const family = bytes.readUInt8(13)
  const variableBytes = bytes.readUInt16BE(14)
  if (variableBytes > VARIABLE_BYTES_MAX) return MALFORMED
  const lengthBytes = FIXED_BYTES + variableBytes
  if (bytes.length < lengthBytes) return INCOMPLETE
  if (command === COMMANDS.local || (command === COMMANDS.proxy && family === FAMILIES.unknown)) {
    return { kind: 'complete', clientAddress: null, lengthBytes }
  }
  if (command !== COMMANDS.proxy) return MALFORMED
  const clientAddress = readSource(bytes.subarray(FIXED_BYTES, lengthBytes), family)
  return clientAddress === null ? MALFORMED : { kind: 'complete', clientAddress, lengthBytes }
}

/** Version 2 in the upper half of the byte, the command in the lower one. */
const COMMANDS = { local: 0x20, proxy: 0x21 } as const

/** The source address: the first of two addresses and two ports. */
function readSource(variable: Buffer, family: number): string | null {
  if (family === FAMILIES.tcp4 && variable.length >= 12) {
    return variable.subarray(0, 4).join('.')
  }
  if (family === FAMILIES.tcp6 && variable.length >= 36) {
    // A proxy that listens on both families has IPv4 clients as `::ffff:192.0.2.1`.
    if (variable.toString('hex', 0, 12) === IPV4_MAPPED) return variable.subarray(12, 16).join('.')
    const groups = Array.from({ length: 8 }, (_, group) => variable.readUInt16BE(group * 2))
    const text = groups.map((group) => group.toString(16)).join(':')
    // The URL parser shortens the address to its usual spelling.
    return new URL(`http://[${text}]`).hostname.slice(1, -1)
  }
  return null
}

const IPV4_MAPPED = '00000000000000000000ffff'
const FAMILIES = { unknown: 0x00, tcp4: 0x11, tcp6: 0x21 } as const
