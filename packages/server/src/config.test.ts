import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseConfig, SETTINGS } from './config.ts'
import { settingsHelp, settingsTable } from './settings-help.ts'

describe('configuration', () => {
  it('has a default for everything', () => {
    const config = parseConfig({})
    assert.equal(config.MAYFLY_HTTP_HOST, '127.0.0.1')
    assert.equal(config.MAYFLY_HTTP_PORT, 8025)
    assert.equal(config.MAYFLY_SMTP_PORT, 1025)
    assert.deepEqual(config.MAYFLY_DOMAINS, ['mayfly.test'])
    assert.equal(config.MAYFLY_BASE_URL, null)
    assert.equal(config.MAYFLY_METRICS, false)
  })

  it('reads lists, lowers domains, and leaves other variables alone', () => {
    const config = parseConfig({
      MAYFLY_DOMAINS: ' A.example , b.example',
      MAYFLY_PRIVATE_DOMAINS: '',
      PATH: '/bin',
    })
    assert.deepEqual(config.MAYFLY_DOMAINS, ['a.example', 'b.example'])
    assert.deepEqual(config.MAYFLY_PRIVATE_DOMAINS, [])
  })

  const malformed: readonly [string, string, RegExp][] = [
    ['MAYFLY_HTTP_PORT', '65536', /from 0 to 65535, but is "65536"/],
    ['MAYFLY_HTTP_PORT', '-1', /whole number/],
    ['MAYFLY_HTTP_HOST', '', /MAYFLY_HTTP_HOST/],
    ['MAYFLY_DOMAINS', 'a b', /domain names/],
    ['MAYFLY_DOMAINS', ' , ', /at least one/],
    ['MAYFLY_DATABASE_URL', 'mysql://x', /sqlite:PATH or postgres/],
    ['MAYFLY_BASE_URL', 'example.com', /http:\/\/ or https:\/\//],
    ['MAYFLY_METRICS', 'yes', /true or false/],
    ['MAYFLY_DATABASE_CONNECTIONS', '0', /from 1 to 1000/],
  ]
  for (const [name, value, message] of malformed) {
    it(`refuses ${name}=${JSON.stringify(value)}`, () => {
      assert.throws(() => parseConfig({ [name]: value }), message)
    })
  }

  it('refuses an unknown variable and names the nearest', () => {
    assert.throws(() => parseConfig({ MAYFLY_DOMAIN: 'x' }), /Did you mean MAYFLY_DOMAINS\?/)
    assert.throws(() => parseConfig({ MAYFLY_COLOUR: 'x' }), /mayfly serve --help/)
  })

  it('is explained whole', () => {
    for (const name of Object.keys(SETTINGS)) {
      assert.ok(settingsHelp().includes(`  ${name}  (`), name)
      assert.ok(settingsTable().includes(`| \`${name}\` |`), name)
    }
  })
})
