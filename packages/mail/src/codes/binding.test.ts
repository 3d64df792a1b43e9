import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bindWords, FREE, NAMERS } from './binding.ts'
import { candidatesOf } from './candidates.ts'
import { findHits } from './mail-reader.ts'
import { lineSignsOf } from './prose.ts'

/** The names of a line and what each names: `code=482913 order=4821`, `-` for nothing. */
function namesIn(text: string): string {
  const line = { text, source: 'text', stretches: [], cell: null, isCentred: false } as const
  const candidates = candidatesOf([
    { ...line, signs: lineSignsOf(text), isJoined: false, first: 0, alike: 0 },
  ])
  const words = findHits(text)
  const owners = bindWords(text, words, candidates)
  const names = words.flatMap(({ start, end, concepts }, at) => {
    if ((concepts & NAMERS) === 0) return []
    const owner = owners[at] ?? FREE
    const value = owner === FREE ? '-' : (/^[\dA-Z.,]*[\dA-Z]/.exec(text.slice(owner))?.[0] ?? '')
    return [`${text.slice(start, end)}=${value}`]
  })
  return names.join(' ')
}

describe('a word names', () => {
  const lines: readonly (readonly [string, string])[] = [
    ['Your code is 482913', 'code=482913'],
    ['482913 is your code', 'code=482913'],
    ['Order 4821, code 482913', 'Order=4821 code=482913'],
    ['Code 482913 for order 4821', 'Code=482913 order=4821'],
    ['Your code for order 4821 is 482913', 'code=482913 order=4821'],
    ['Your OTP for registration (Roll No. 21CS30147) is 460012', 'OTP=460012 Roll No=21CS30147'],
    ['The signing code for lease 20881 is', 'signing code=- lease=20881'],
    ['The code for your payment of 89.90 EUR is 482913', 'code=482913 EUR=89.90'],
    ['Code for card *4821: 918264', 'Code=918264'],
    ['Enter the 6-digit code below', 'digit=- code=-'],
    ['Your code (6 digits): 482913', 'code=482913 digits=482913'],
    ['We reset the password of your account (ID 5582019)', 'password=- ID=5582019'],
    ['The password of the administrator 59381 expires', 'password=-'],
    ['Your new password is 482913', 'password=482913'],
    ['Your password for the intranet at work: 482913', 'password=482913'],
    ['593817 հաշվի գաղտնաբառը', 'հաշվի=- գաղտնաբառը=-'],
    ['The code to sign in to your customer area is 482913', 'code=482913 customer=-'],
    ["Voici votre code d'accès au portail patient : 5120", "code d'accès=5120 patient=-"],
    ['Request 4821 with the title "Where is my code"', 'Request=4821 code=-'],
    ['Case 4821, code 482913', 'Case=4821 code=482913'],
    ['The code in this case is 482913', 'code=482913 case=-'],
    ['Enter this code on the page: 482913', 'code=482913 page=-'],
    ['Posa aquest codi a la pàgina: 77015', 'aquest codi=77015 pàgina=-'],
    ['To approve the payment enter 482913', ''],
    ['For your order of 3 items enter 482913', 'order=- items=3'],
    ['Das Konto DE12...4821, Code 627184', 'Konto=DE12...4821 Code=627184'],
    ['Jelszó a 31 900 Ft összegű fizetéshez: 3046', 'Jelszó=3046 Ft=31 összegű=31'],
    ['The code is below. Order 4821', 'code=- Order=4821'],
    ['Your code was made in 2025', 'code=-'],
    ['2026 is your reset code', 'reset code=2026'],
    ['The PIN of the app is 2024', 'PIN=2024'],
    ['Enter your code before June 2026', 'code=-'],
    ['Order 77120. 482913 is your code', 'Order=77120 code=482913'],
    ['Code: 482913 or 730528', 'Code=482913'],
    ['A 7093 kóddal lépj be', 'kóddal=7093'],
    ['The code to confirm the payment of your bill is 482913', 'code=482913 bill=-'],
    ['The OTP to change your phone number is 482913', 'OTP=482913 phone=- number=-'],
    ['The OTP is below, our phone: 5550142', 'OTP=- phone=5550142'],
    ['您正在修改讀者證 0033659 的密碼', '密碼=-'],
    ['確認コードは482913です。注文番号4821', '確認コード=482913 注文番号=4821'],
  ]
  for (const [line, expected] of lines) {
    it(line, () => assert.equal(namesIn(line), expected))
  }
})

it('a line with very many names is read up to a limit', () => {
  const text = 'code 482913 order 4821 '.repeat(2_500)
  const words = findHits(text)
  const candidates = Array.from(text.matchAll(/482913/g), ({ index }) => ({
    start: index,
    end: index + 6,
  }))
  const bound = bindWords(text, words, candidates).filter((owner) => owner !== FREE)
  assert.equal(bound.length, 300)
})
