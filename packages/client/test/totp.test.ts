import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { totp } from '../src/index.ts'

/** The secrets of RFC 6238, appendix B: 20, 32 and 64 bytes of 1234567890 repeated, in Base32. */
const SECRETS = {
  SHA1: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  SHA256: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA====',
  SHA512:
    'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA=',
} as const

/** The times of the appendix in seconds, and the code of each algorithm. */
const VECTORS: readonly [number, string, string, string][] = [
  [59, '94287082', '46119246', '90693936'],
  [1111111109, '07081804', '68084774', '25091201'],
  [1111111111, '14050471', '67062674', '99943326'],
  [1234567890, '89005924', '91819424', '93441116'],
  [2000000000, '69279037', '90698825', '38618901'],
  [20000000000, '65353130', '77737706', '47863826'],
]

describe('the code of an authenticator', () => {
  it('is that of the vectors of RFC 6238', async () => {
    for (const [seconds, ...codes] of VECTORS) {
      for (const [index, [algorithm, secret]] of Object.entries(SECRETS).entries()) {
        const uri = `otpauth://totp/App:ada?secret=${secret}&algorithm=${algorithm}&digits=8`
        assert.equal(await totp(uri, { at: new Date(seconds * 1000) }), codes[index])
      }
    }
  })

  it('has six digits for 30 seconds unless the URI says otherwise', async () => {
    const at = new Date(59_000)
    assert.equal(await totp(SECRETS.SHA1, { at }), '287082')
    assert.equal(await totp('gezd gnbv gy3t qojq gezd-gnbv-gy3t-qojq', { at }), '287082')
    const slow = `otpauth://totp/a?secret=${SECRETS.SHA1}&period=60`
    assert.equal(await totp(slow, { at }), await totp(SECRETS.SHA1, { at: new Date(0) }))
    assert.match(await totp(SECRETS.SHA1), /^\d{6}$/)
  })

  it('is refused for what is no secret, without showing it', async () => {
    const wrong: readonly [string, RegExp][] = [
      ['hunter2018', /not in Base32/],
      ['', /not in Base32/],
      ['otpauth://hotp/a?secret=GEZDGNBV', /not a URI of time-based codes/],
      ['otpauth://totp/a', /not in Base32/],
      ['otpauth://totp/a?secret=GEZDGNBV&digits=20', /^digits must be 6 to 10\.$/],
      ['otpauth://totp/a?secret=GEZDGNBV&period=0', /^period must be a number of seconds\.$/],
      ['otpauth://totp/a?secret=GEZDGNBV&algorithm=MD5', /^algorithm must be SHA1,/],
    ]
    for (const [secret, message] of wrong) {
      await assert.rejects(totp(secret), (error: Error) => {
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /hunter|GEZDGNBV/)
        return true
      })
    }
  })
})
