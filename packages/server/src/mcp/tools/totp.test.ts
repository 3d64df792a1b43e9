import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ToolCall } from '../tool.ts'
import { totpTools } from './totp.ts'

/** The secret of RFC 6238, appendix B: 20 bytes of 1234567890 repeated. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('authenticator_code', () => {
  for (const [seconds, code] of [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ] as const) {
    it(`is ${code} after ${seconds} s, as RFC 6238 says`, async () => {
      const [tool] = totpTools
      // Of a call, the tool uses the time alone.
      const call = { now: () => seconds * 1000 } as ToolCall
      const uri = `otpauth://totp/App:ada?secret=${SECRET}&digits=8`
      assert.equal((await tool?.run(call, { secret: uri }))?.['code'], code)
      const short = await tool?.run(call, { secret: SECRET.toLowerCase() })
      assert.equal(short?.['code'], code.slice(2))
    })
  }
})
