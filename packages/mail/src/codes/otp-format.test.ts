import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findOtp } from './find.ts'
import { hasOtpFormat } from './otp-format.ts'

describe('the form of a code', () => {
  const forms: readonly (readonly [string, string, boolean])[] = [
    ['482913', '999999', true],
    ['482913', '999-999', true],
    ['482913', 'AAA AAA', true],
    ['482913', '99999', false],
    ['K7QX2M', 'AAA-AAA', true],
    ['K7QX2M', '999999', false],
    ['amber-lake-42', 'AAAAAAAAA99', true],
    ['Ж5К183', 'A9A999', true],
  ]
  for (const [value, format, isOf] of forms) {
    it(`${format} ${isOf ? 'fits' : 'does not fit'} ${value}`, () => {
      assert.equal(hasOtpFormat(value, format), isOf)
    })
  }
})

describe('a code of a known form', () => {
  const text = 'Your sign-in code is 482913. On your TV, type K7QX2M9R instead. Ten minutes.'
  const mail = { subject: 'Your sign-in code', text, html: null }

  it('is given instead of another one', () => {
    assert.equal(findOtp(mail, '999999').otp?.value, '482913')
    assert.equal(findOtp(mail, 'AAAA-AAAA').otp?.value, 'K7QX2M9R')
  })

  it('is none when no value has the form', () => {
    assert.deepEqual(findOtp(mail, '9999'), { otp: null, candidates: [] })
  })

  it('is given when it would not be without the form', () => {
    const two = { ...mail, text: 'Login code: 482913\n\nLogin code: K7QX2M9R' }
    const without = findOtp(two)
    for (const format of ['999999', 'AAAAAAAA']) {
      const { otp } = findOtp(two, format)
      const before = without.candidates.find(({ value }) => value === otp?.value)
      assert.ok((otp?.confidence ?? 0) >= (before?.confidence ?? 1), format)
    }
  })
})
