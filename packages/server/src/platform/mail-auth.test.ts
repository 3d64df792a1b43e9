import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { dkimSign } from 'mailauth'
import { verifySender } from './mail-auth.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

const RECORDS: Readonly<Record<string, string>> = {
  'a.example': 'v=spf1 ip4:192.0.2.1 -all',
  'mail._domainkey.a.example': `v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`,
  '_dmarc.a.example': 'v=DMARC1; p=reject',
}

async function resolver(name: string, rrtype: string): Promise<string[][]> {
  const record = RECORDS[name]
  if (record !== undefined && rrtype === 'TXT') return [[record]]
  throw Object.assign(new Error('no record'), { code: 'ENOTFOUND' })
}

async function check(raw: string, remoteAddress = '192.0.2.1') {
  const facts = { remoteAddress, helo: 'a.example', mailFrom: 'x@a.example', hostName: 'mx' }
  return verifySender({ ...facts, raw: Buffer.from(raw) }, resolver)
}

const results = ({ spf, dkim, dmarc }: Awaited<ReturnType<typeof check>>) =>
  [spf, dkim, dmarc].map(({ result }) => result)

async function sign(raw: string): Promise<string> {
  const signature = { signingDomain: 'a.example', selector: 'mail', privateKey }
  // Its types describe one signature; the program takes a list of them.
  const options = { ...signature, signatureData: [signature] }
  const { signatures } = await dkimSign(raw, options)
  assert.match(signatures, /^DKIM-Signature:/)
  return signatures + raw
}

/** Longest that one hostile mail may take; without bounds most of these take minutes. */
const HOSTILE_MS_MAX = 20_000

const FROM = 'From: x@a.example\r\n'
const badSignature = (number: number) =>
  `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=b${number}.example; s=x;\r\n` +
  ` l=${1_000_000 + number}; h=from; bh=YWFh; b=YWFh\r\n`

const HOSTILE: Readonly<Record<string, { raw: () => string; expected: readonly string[] }>> = {
  'a header of folded lines': {
    raw: () => `${FROM}X: y\r\n${' z\r\n'.repeat(120_000)}\r\nbody\r\n`,
    expected: ['pass', 'permerror', 'permerror'],
  },
  'a long field that is parsed': {
    raw: () => `ARC-Authentication-Results: ${';'.repeat(120_000)}\r\n${FROM}\r\nbody\r\n`,
    expected: ['pass', 'permerror', 'permerror'],
  },
  'a body of lines with tabs': {
    raw: () => `${badSignature(1)}${FROM}\r\n${'\t\r\n'.repeat(8_000_000)}`,
    expected: ['pass', 'permerror', 'pass'],
  },
  'a body of one line': {
    raw: () => `${badSignature(1)}${FROM}\r\n${'x'.repeat(24_000_000)}`,
    expected: ['pass', 'permerror', 'pass'],
  },
  'hundreds of signatures of a large body': {
    raw: () => {
      const signatures = Array.from({ length: 400 }, (_, i) => badSignature(i)).join('')
      return `${signatures}${FROM}\r\n${`${'x'.repeat(76)}\r\n`.repeat(250_000)}`
    },
    expected: ['pass', 'neutral', 'pass'],
  },
}

describe('sender checks of hostile mail', () => {
  for (const [name, { raw, expected }] of Object.entries(HOSTILE)) {
    it(`are quick for ${name}`, { timeout: 60_000 }, async () => {
      const startedAt = performance.now()
      assert.deepEqual(results(await check(raw())), expected)
      assert.ok(performance.now() - startedAt < HOSTILE_MS_MAX)
    })
  }

  it('do not call a mail forged whose signatures were not verified', async () => {
    const raw = `${badSignature(1)}${FROM}\r\n${'x'.repeat(1_000_000)}`
    const verdicts = await check(raw, '192.0.2.9')
    assert.deepEqual(results(verdicts), ['fail', 'permerror', 'permerror'])
    assert.equal(verdicts.dkim.detail, 'the body has too many or too long lines')
  })
})

describe('sender checks of large honest mail', () => {
  it('verify the signature of 8 MB', async () => {
    const body = `${'x'.repeat(76)}\r\n`.repeat(100_000)
    const signed = await sign(`${FROM}Subject: s\r\n\r\n${body}`)
    assert.deepEqual(results(await check(signed)), ['pass', 'pass', 'pass'])
  })

  it('verify a signature with 1,000 folded recipients', async () => {
    const to = Array.from({ length: 1_000 }, (_, i) => `person${i}@b.example`).join(',\r\n ')
    const signed = await sign(`${FROM}To: ${to}\r\n\r\nHello\r\n`)
    assert.deepEqual(results(await check(signed)), ['pass', 'pass', 'pass'])
  })

  it('verify the topmost signatures when there are too many', async () => {
    const signed = await sign(`${FROM}\r\nHello\r\n`)
    const [own = '', ...rest] = signed.split(FROM)
    const other = Array.from({ length: 9 }, (_, i) => badSignature(i)).join('')
    const within = await check(`${other}${own}${FROM}${rest.join(FROM)}`)
    assert.equal(within.dkim.result, 'pass')
    const beyond = await check(`${badSignature(10)}${other}${own}${FROM}${rest.join(FROM)}`)
    assert.equal(beyond.dkim.result, 'neutral')
  })
})
