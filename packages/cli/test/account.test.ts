import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openShell } from './testing-run-command.ts'
import { signedUp } from './testing-signed-up.ts'

describe('mayfly login, whoami, account and keys', () => {
  it('sign in with a key, and show the account and its limits', async () => {
    await using place = await signedUp()
    const { apiKey } = JSON.parse((await place.shell.run('keys', 'new', 'laptop', '--json')).out)
    await using other = await openShell()
    const signIn = await other.run('login', apiKey, '--url', place.service.httpUrl)
    assert.equal(signIn.code, 0, signIn.err)
    assert.match(signIn.out, /^Signed in to http:\S+ as dev@example\.com\./)
    assert.equal((await other.run('whoami')).out, 'dev@example.com\n')
    const { out } = await other.run('account')
    assert.match(out, /^dev@example\.com on plan unlimited at http/)
    assert.match(out, /^inboxes today +0 +none$/m)
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
