// A self-signed certificate, so that STARTTLS works before an operator has configured one.
//
// X.509 version 3 (RFC 5280), encoded as DER here: the alternatives are a package for one call,
// or a program that may not be installed.

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import { ipv6Bytes } from '../listener/ip-address.ts'

/** A certificate and its private key, as PEM. */
export type CertificatePair = { readonly cert: string; readonly key: string }

const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** DER tags. */
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_IDENTIFIER = 0x06
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18
const SEQUENCE = 0x30
const SET = 0x31
const CONTEXT_0 = 0xa0
const CONTEXT_3 = 0xa3
const DNS_NAME = 0x82
const IP_ADDRESS = 0x87

const VERSION_3 = tlv(CONTEXT_0, tlv(INTEGER, Buffer.from([2])))
const TRUE = Buffer.from([0x01, 0x01, 0xff])

/** Object identifiers, encoded. */
const OID = {
  ecdsaWithSha256: oid('2a8648ce3d040302'),
  commonName: oid('550403'),
  basicConstraints: oid('551d13'),
  keyUsage: oid('551d0f'),
  extendedKeyUsage: oid('551d25'),
  serverAuth: oid('2b06010505070301'),
  subjectKeyIdentifier: oid('551d0e'),
  subjectAltName: oid('551d11'),
} as const

const ALGORITHM = tlv(SEQUENCE, OID.ecdsaWithSha256)

/**
 * Makes a pair (P-256) for these host names (in ASCII form) or IP addresses, valid for one year
 * from `validFrom`.
 */
export function makeSelfSignedCertificate(
  hosts: readonly string[],
  validFrom: Date,
): CertificatePair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKeyInfo = publicKey.export({ type: 'spki', format: 'der' })
  const name = distinguishedName(hosts[0] ?? 'localhost')
  const body = tlv(
    SEQUENCE,
    VERSION_3,
    tlv(INTEGER, serialNumber()),
    ALGORITHM,
    name,
    tlv(SEQUENCE, time(validFrom), time(new Date(validFrom.getTime() + YEAR_MS))),
    name,
    publicKeyInfo,
    tlv(CONTEXT_3, tlv(SEQUENCE, ...extensions(hosts, publicKeyInfo))),
  )
  const signature = sign('sha256', body, privateKey)
  const der = tlv(SEQUENCE, body, ALGORITHM, bitString(signature))
  return { cert: pem(der), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

function extensions(hosts: readonly string[], publicKeyInfo: Buffer): readonly Buffer[] {
  const keyId = createHash('sha1').update(publicKeyInfo).digest()
  const digitalSignature = Buffer.from([BIT_STRING, 2, 7, 0x80])
  return [
    extension(OID.basicConstraints, tlv(SEQUENCE), { isCritical: true }),
    extension(OID.keyUsage, digitalSignature, { isCritical: true }),
    extension(OID.extendedKeyUsage, tlv(SEQUENCE, OID.serverAuth)),
    extension(OID.subjectKeyIdentifier, tlv(OCTET_STRING, keyId)),
    extension(OID.subjectAltName, tlv(SEQUENCE, ...hosts.map(generalName))),
  ]
}

function extension(id: Buffer, value: Buffer, { isCritical = false } = {}): Buffer {
  const parts = isCritical ? [id, TRUE] : [id]
  return tlv(SEQUENCE, ...parts, tlv(OCTET_STRING, value))
}

function generalName(host: string): Buffer {
  if (isIPv4(host)) return tlv(IP_ADDRESS, Buffer.from(host.split('.').map(Number)))
  if (isIPv6(host)) return tlv(IP_ADDRESS, ipv6Bytes(host))
  return tlv(DNS_NAME, Buffer.from(host, 'ascii'))
}

function distinguishedName(commonName: string): Buffer {
  // A common name has at most 64 characters; clients use the subject alternative names.
  const value = tlv(UTF8_STRING, Buffer.from(commonName.slice(0, 64)))
  return tlv(SEQUENCE, tlv(SET, tlv(SEQUENCE, OID.commonName, value)))
}

/** Positive and not zero: the first byte is between 1 and 127. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01
  return bytes
}

/** A year of two digits up to 2049, of four digits from then on (RFC 5280, 4.1.2.5). */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return date.getUTCFullYear() < 2050
    ? tlv(UTC_TIME, Buffer.from(digits.slice(2)))
    : tlv(GENERALIZED_TIME, Buffer.from(digits))
}

function bitString(content: Buffer): Buffer {
  return tlv(BIT_STRING, Buffer.from([0]), content)
}

function oid(hex: string): Buffer {
  return tlv(OBJECT_IDENTIFIER, Buffer.from(hex, 'hex'))
}

function tlv(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), derLength(content.length), content])
}

function derLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  if (length < 0x100) return Buffer.from([0x81, length])
  return Buffer.from([0x82, length >> 8, length & 0xff])
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
