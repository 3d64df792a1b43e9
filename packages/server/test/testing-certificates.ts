import {
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { isIP } from 'node:net'

/** A certificate and its key, as `tls.createServer` takes them. */
export type ServerCertificate = { readonly cert: string; readonly key: string }

/** A certificate authority that lives as long as its test. */
export type Authority = {
  /** What a client must trust. */
  readonly pem: string
  readonly issue: (hosts: readonly string[], validity?: Validity) => ServerCertificate
}

type Validity = { readonly from: Date; readonly until: Date }

const DAY_MS = 86_400_000

/** Makes an authority and its certificates without any program that might not be installed. */
export function createAuthority(name = 'Test authority'): Authority {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issue = (
    subject: { readonly name: string; readonly key: KeyObject; readonly extensions: Buffer },
    { from, until }: Validity = { from: daysFromNow(-1), until: daysFromNow(2) },
  ): string => {
    const body = sequence(
      tlv(0xa0, tlv(0x02, Buffer.of(2))),
      tlv(0x02, Buffer.of(1), randomBytes(8)),
      ECDSA_WITH_SHA256,
      commonName(name),
      sequence(time(from), time(until)),
      commonName(subject.name),
      subject.key.export({ type: 'spki', format: 'der' }),
      tlv(0xa3, sequence(subject.extensions)),
    )
    const signature = sign('sha256', body, authority.privateKey)
    const der = sequence(body, ECDSA_WITH_SHA256, tlv(0x03, Buffer.of(0), signature))
    return new X509Certificate(der).toString()
  }

  return {
    pem: issue({ name, key: authority.publicKey, extensions: IS_AUTHORITY }),
    issue(hosts, validity) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const subject = { name: 'Test server', key: publicKey, extensions: alternativeNames(hosts) }
      return {
        cert: issue(subject, validity),
        key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }
    },
  }
}

/** A moment some days from now; negative days lie in the past. */
export function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * DAY_MS)
}

/** One DER value: tag, length, contents. */
function tlv(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content])
  const length = Buffer.of(0x82, content.length >> 8, content.length & 0xff)
  return Buffer.concat([Buffer.of(tag), length, content])
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return tlv(0x30, ...contents)
}

function objectId(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, 'hex'))
}

function time(moment: Date): Buffer {
  return tlv(0x18, Buffer.from(moment.toISOString().replace(/[-:T]|\.\d+/g, '')))
}

function commonName(name: string): Buffer {
  return sequence(tlv(0x31, sequence(objectId('550403'), tlv(0x0c, Buffer.from(name)))))
}

function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    isIP(host) === 4
      ? tlv(0x87, Buffer.from(host.split('.').map(Number)))
      : tlv(0x82, Buffer.from(host)),
  )
  return sequence(objectId('551d11'), tlv(0x04, sequence(...names)))
}

const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'))
const IS_AUTHORITY = sequence(objectId('551d13'), tlv(0x04, sequence(tlv(0x01, Buffer.of(0xff)))))
