import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isForThisService } from './mcp.ts'

const OWN = {
  baseUrl: () => 'https://mail.example.com/base',
  port: 8025,
  allowedHosts: [],
  allowsPrivateNames: false,
}

describe('isForThisService', () => {
  const cases: readonly (readonly [string | undefined, string | undefined, boolean])[] = [
    ['mail.example.com', undefined, true],
    ['MAIL.example.com:443', undefined, true],
    ['localhost:8025', undefined, true],
    ['127.0.0.1:8025', undefined, true],
    ['[::1]:8025', undefined, true],
    // A port forwarded from elsewhere.
    ['localhost:9000', undefined, true],
    ['mail.example.com', 'https://mail.example.com', true],
    ['localhost:8025', 'http://localhost:8025', true],
    ['127.0.0.1:8025', 'http://[::1]:8025', true],
    ['evil.example', undefined, false],
    ['evil.example:8025', undefined, false],
    ['mail.example.com.evil.example', undefined, false],
    ['evil.example@localhost', undefined, false],
    ['localhost.', undefined, false],
    ['', undefined, false],
    [undefined, undefined, false],
    ['localhost:8025', 'http://evil.example', false],
    ['localhost:8025', 'http://localhost:3000', false],
    ['localhost:8025', 'https://localhost:8025', false],
    ['mail.example.com', 'http://mail.example.com', false],
    ['mail.example.com', 'null', false],
    ['mail.example.com', '', false],
    ['evil.example', 'http://localhost:8025', false],
  ]
  for (const [host, origin, expected] of cases) {
    it(`is ${expected} for Host ${host} and Origin ${origin}`, () => {
      assert.equal(isForThisService({ host, origin }, OWN), expected)
    })
  }

  it('is false for a page of another site, whatever its Host and Origin', () => {
    for (const site of ['cross-site', 'same-site', '']) {
      assert.equal(isForThisService({ host: 'localhost:8025', 'sec-fetch-site': site }, OWN), false)
    }
  })
})
