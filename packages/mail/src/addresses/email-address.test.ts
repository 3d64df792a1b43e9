import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emailAddressText, inboxAddress, readEmailAddress, withoutTag } from './email-address.ts'

describe('email addresses', () => {
  const same: readonly (readonly [text: string, spelling: string])[] = [
    ['ann@test.example', 'ann@test.example'],
    ['Ann@Test.EXAMPLE', 'ann@test.example'],
    ['ann@test.example.', 'ann@test.example'],
    ['"ann"@test.example', 'ann@test.example'],
    ['a.b+tag@test.example', 'a.b+tag@test.example'],
    ['ann@bücher.example', 'ann@xn--bcher-kva.example'],
    ['用户@例子.example', '用户@xn--fsqu00a.example'],
    ['ann@[192.0.2.1]', 'ann@[192.0.2.1]'],
    ['ann@[IPv6:2001:DB8::1]', 'ann@[ipv6:2001:db8::1]'],
  ]
  for (const [text, spelling] of same) {
    it(`reads ${text}`, () => {
      const address = readEmailAddress(text)
      assert.ok(address !== null)
      assert.equal(emailAddressText(address), spelling)
    })
  }

  const none: readonly string[] = [
    ...[
      '',
      'ann',
      '@test.example',
      'ann@',
      'ann@.example',
      'ann@test..example',
      'a b@test.example',
    ],
    ...['ann@-test.example', 'ann@te st.example', 'ann@ex/ample', `${'a'.repeat(65)}@test.example`],
    ...[`ann@${'a'.repeat(64)}.example`, `ann@${'a.'.repeat(130)}example`, 'ann@bü cher.example'],
    ...['"an\u0000n"@test.example', 'ann@ü@x', 'ann@üx:80'],
  ]
  for (const text of none) it(`refuses ${text}`, () => assert.equal(readEmailAddress(text), null))

  it('removes the tag of a local part', () => {
    assert.equal(withoutTag('ann+news'), 'ann')
    assert.equal(withoutTag('ann+a+b'), 'ann')
    assert.equal(withoutTag('+ann'), '+ann')
    assert.equal(withoutTag('ann'), 'ann')
    assert.equal(inboxAddress('Ann+news@Mayfly.TEST'), 'ann@mayfly.test')
    assert.equal(inboxAddress('ann'), null)
  })

  it('normalises the domain', () => {
    assert.equal(readEmailAddress('a@BÜCHER.example')?.domain, 'xn--bcher-kva.example')
    assert.equal(readEmailAddress('a@a_b.example')?.domain, 'a_b.example')
    assert.equal(readEmailAddress('a@ex ample'), null)
  })
})
