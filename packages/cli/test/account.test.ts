import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startService } from '../../server/test/testing-start-service.ts'
import { openShell } from './testing-run-command.ts'
import { signedUp } from './testing-signed-up.ts'

describe('mayfly login, logout, whoami, account and keys', () => {
  it('sign in with a key, and show the account without limits', async () => {
    await using place = await signedUp()
    const { apiKey } = JSON.parse((await place.shell.run('keys', 'new', 'laptop', '--json')).out)
    await using other = await openShell()
    const signIn = await other.run('login', apiKey, '--url', place.service.httpUrl)
    assert.equal(signIn.code, 0, signIn.err)
    assert.match(signIn.out, /^Signed in to http:\S+ as dev@example\.com\./)
    assert.equal((await other.run('whoami')).out, 'dev@example.com\n')
    const { out } = await other.run('account')
    assert.match(out, /^dev@example\.com at http/)
    assert.match(out, /^inboxes today +0$/m)
    assert.doesNotMatch(out, /plan|limit|none/)
  })

  it('show the limits of an account that has some', async () => {
    await using place = await signedUp({ env: { MAYFLY_DEFAULT_PLAN: 'key_only' } })
    const { out } = await place.shell.run('account')
    assert.match(out, /^dev@example\.com on plan key_only at http/)
    assert.match(out, /^inboxes today +0 +\d+$/m)
  })

  it('refuse a wrong key without saving it', async () => {
    await using place = await signedUp()
    await using other = await openShell()
    const url = ['--url', place.service.httpUrl]
    const signIn = await other.run('login', 'mf_live_nonsense', ...url)
    assert.equal(signIn.code, 1)
    assert.match(signIn.err, /unknown or was revoked/)
    assert.match((await other.run('whoami', ...url)).err, /there is no API key/)
  })

  it('return to the local account', async () => {
    await using service = await startService({ hasLocalAccount: true })
    await using shell = await openShell({ env: { MAYFLY_BASE_URL: service.httpUrl } })
    const whoami = async () => (await shell.run('whoami')).out.trim()
    const local = await whoami()
    const first = await shell.run('signup', 'first@example.com')
    assert.match(first.err, /^To return to the local account: mayfly logout$/m)
    assert.equal(await whoami(), 'first@example.com')
    const second = await shell.run('signup', 'second@example.com')
    const how = /^To return to first@example\.com, whose saved key was replaced: mayfly login KEY$/m
    assert.match(second.err, how)
    assert.doesNotMatch(second.err, /local account/)

    const file = join(shell.home, '.config', 'mayfly', 'credentials.json')
    assert.deepEqual(await shell.run('logout'), {
      code: 0,
      out: `Signed out of ${service.httpUrl}. The key of second@example.com is deleted from ${file}.\n`,
      err: '',
    })
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { lastUrl: null, keys: {} })
    assert.equal(await whoami(), local)
    const again = await shell.run('logout')
    assert.equal(again.code, 1)
    assert.equal(again.err, `mayfly: there is no saved key for ${service.httpUrl}.\n`)
    assert.equal((await shell.run('login', first.out.trim())).code, 0)
    assert.equal(await whoami(), 'first@example.com')
  })

  it('keep the keys of other services', async () => {
    await using place = await signedUp()
    const { shell } = place
    const key = (await shell.run('keys', 'new', 'CI')).out.trim()
    const other = place.service.httpUrl.replace('127.0.0.1', 'localhost')
    await shell.run('login', key, '--url', other)
    assert.equal((await shell.run('logout', '--url', place.service.httpUrl)).code, 0)
    assert.equal((await shell.run('whoami')).out, 'dev@example.com\n')
    const absent = await shell.run('whoami', '--url', place.service.httpUrl)
    assert.match(absent.err, /there is no API key/)
  })

  it('create, list and revoke keys by name', async () => {
    await using place = await signedUp()
    const created = await place.shell.run('keys', 'new', 'CI', '--test')
    assert.match(created.out, /^mf_test_\w+\n$/)
    assert.equal(created.err, 'API key (shown only once):\n')
    assert.match((await place.shell.run('keys', 'list')).out, /^CI +member +test +mf_test_\w+…/m)
    const revoked = await place.shell.run('keys', 'rm', 'CI')
    assert.match(revoked.out, /^CI \(mf_test_\w+…\) was revoked\.$/m)
    const again = await place.shell.run('keys', 'rm', 'CI')
    assert.equal(again.code, 1)
    assert.match(again.err, /there is no key "CI"/)
    for (const options of [[], ['--test']]) {
      await place.shell.run('keys', 'new', 'twice', ...options)
    }
    const several = await place.shell.run('keys', 'rm', 'twice')
    assert.equal(several.code, 2)
    assert.match(several.err, /2 keys are named "twice": key_\w+, key_\w+\. Give an id instead\./)
  })
})
