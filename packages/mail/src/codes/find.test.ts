import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../test/testing-any-character.ts'
import { readHtml } from '../html/read-html.ts'
import { findOtp, type OtpCandidate, type OtpInput } from './find.ts'
import { READ_CHARS_MAX } from './lines.ts'

interface Mail {
  readonly subject?: string
  readonly text?: string
  readonly html?: string
}

function inputOf({ subject, text, html }: Mail): OtpInput {
  return {
    subject: subject ?? null,
    text: text ?? null,
    html: html === undefined ? null : readHtml(html),
  }
}

function codeIn(mail: Mail): string | null {
  return findOtp(inputOf(mail)).otp?.value ?? null
}

/** The same in a mail about signing in: without a subject a sentence alone says little. */
function codeInMail({ subject = 'Your sign-in code', ...mail }: Mail): string | null {
  return codeIn({ ...mail, subject })
}

function candidateIn(mail: Mail, value: string): OtpCandidate | undefined {
  return findOtp(inputOf(mail)).candidates.find((candidate) => candidate.value === value)
}

const cells = (code: string) => [...code].map((sign) => `<td>${sign}</td>`).join('')

describe('a line as tests send it', () => {
  const codes = ['481516', '73024', '9042', '8J4K2P']
  const subjects = [null, 'Good morning', 'Mail from the suite', 'News of May', 'Order 1234', 'abc']
  const lines = [
    ...['Your code is #', 'Your code is #.', 'Your code: #', 'The code is #', '# is your code.'],
    ...['Here is your code: #', 'Your login code is #', 'Use # to sign in.', 'Your OTP is #'],
    ...['Hello,\n\nyour code is #.\n\nThanks', 'Hi!\n\nYour code:\n\n#\n\nSee you'],
  ]
  const others = ['Order # has shipped.', 'Invoice #', 'Build # passed', 'Error code: #', 'Test #']

  for (const line of lines) {
    it(`has its code under any subject: ${JSON.stringify(line)}`, () => {
      for (const { mail, code } of mailsOf(line))
        assert.equal(codeIn(mail), code, JSON.stringify(mail))
    })
  }
  for (const line of others) {
    it(`has none under any subject: ${line}`, () => {
      for (const { mail } of mailsOf(line)) assert.equal(codeIn(mail), null, JSON.stringify(mail))
    })
  }

  function mailsOf(line: string) {
    return subjects.flatMap((subject) =>
      codes.flatMap((code) => {
        const text = line.replace('#', code)
        const html = `<p>${text.replaceAll('\n', '<br>')}</p>`
        const about = subject === null ? {} : { subject }
        return [{ text }, { html }, { text, html }].map((body) => ({
          mail: { ...about, ...body },
          code,
        }))
      }),
    )
  }
})

describe('the form of a code', () => {
  const forms: readonly (readonly [string, Mail, string])[] = [
    ['digits', { text: 'Your code is 048213' }, '048213'],
    ['four digits', { text: 'Your login PIN: 0073' }, '0073'],
    ['ten digits', { text: 'Your verification code: 4821903715' }, '4821903715'],
    ['two groups', { text: 'Your code is 482 913' }, '482913'],
    ['groups with a dash', { text: 'Your code is 482-913' }, '482913'],
    ['groups with a wide dash', { text: 'Your code is 482 – 913' }, '482913'],
    ['three groups', { text: 'Your code is 48 29 13' }, '482913'],
    ['spaced digits', { text: 'Your code is 4 8 2 9 1 3' }, '482913'],
    ['no-break spaces', { html: '<p>Your code is <b>482&nbsp;913</b>' }, '482913'],
    [
      'zero-width characters',
      { html: '<p>Your code: 4&#8203;8&#8203;2&zwnj;9&#8288;13' },
      '482913',
    ],
    ['a prefix', { text: 'G-482913 is your verification code' }, '482913'],
    ['letters and digits', { text: 'Your code is 7H2K9P' }, '7H2K9P'],
    ['letters and digits in groups', { text: 'Your code is AB12-CD34' }, 'AB12CD34'],
    ['letters in groups', { text: 'Your code is KXQ-TRM' }, 'KXQTRM'],
    ['small letters and capitals', { text: 'Your one-time password: tQ8kLm2p' }, 'tQ8kLm2p'],
    ['words', { text: 'Your one-time login code:\n\nvat-poxis-lyndy' }, 'vat-poxis-lyndy'],
    [
      'words with spaces',
      { text: 'Your one-time login code:\n\ntulip oak seven' },
      'tulip oak seven',
    ],
    ['letters and digits with a space', { text: 'Your code is G4W 9KP' }, 'G4W9KP'],
    ['a field of JSON', { text: '{"event": "email.verify", "otp": "830264"}' }, '830264'],
    ['a comma of Chinese behind it', { text: '您正在登录,验证码为839201,5分钟内有效' }, '839201'],
    ['an ending behind an apostrophe', { text: "Tek seferlik giriş şifresi 518064'tür" }, '518064'],
    ['one digit and two groups', { text: 'Engangskoden er 7 715 024.' }, '7715024'],
    ['groups in a line', { text: 'Your pairing code to sign in:\n\nM3XH 81' }, 'M3XH81'],
    ['stars around it', { text: 'Enter this login code:\n\n*** 209 771 ***' }, '209771'],
    ['pairs of letters and digits', { text: 'Your code is HX 40 2R' }, 'HX402R'],
    ['Cyrillic capitals and digits', { text: 'Въведете кода за вход:\n\nЖ5К-183' }, 'Ж5К183'],
    ['both cases in groups', { text: 'Your one-time password: wP4-7nK' }, 'wP47nK'],
    [
      'an ending of the language',
      { text: 'A 7093-as kóddal erősítsd meg az e-mail-címedet' },
      '7093',
    ],
    ['a date as the code', { text: 'Enter this verification code:\n\n19450508' }, '19450508'],
    ['arrows around it', { text: 'Enter this login code:\n\n>>> 6YV28K <<<' }, '6YV28K'],
    ['dots that lead to it', { text: 'Security code ........ 90 41 36' }, '904136'],
    ['a dot between groups', { text: 'Your login code is 482·913.' }, '482913'],
    ['a dot between digits', { text: 'Your login code is 4.8.2.9.1.3' }, '482913'],
    ['bars between groups', { text: 'Enter this login code:\n\n83 | 02 | 57' }, '830257'],
    ['a letter of Korean before digits', { text: '인증코드 : 가 7 3 9 2' }, '가7392'],
    ['a letter of Hebrew', { text: 'קוד אימות להתחברות:\n\nט 3 8 8 5' }, 'ט3885'],
    ['brackets of Chinese', { text: '請輸入以下驗證碼：\n【４１】【８８】【０７】' }, '418807'],
    ['both cases and a no-break space', { html: '<p>Your login code:<p>xK9&nbsp;pR3' }, 'xK9pR3'],
    ['groups in lines', { text: 'Your sign-in code:\n\nWR\n58\nTA' }, 'WR58TA'],
    ['halves in lines', { text: 'Your sign-in code:\n\n2719\n0046' }, '27190046'],
    [
      'emphasis on each digit',
      { text: 'Your login code:\n\n*7*  *7*  *0*  *0*  *7*  *7*' },
      '770077',
    ],
    [
      'words with capitals below their label',
      { text: 'Your sign-in code:\n\nAmber Lake River\n\nIt expires in 10 minutes.' },
      'Amber Lake River',
    ],
    ['colons as in a time', { text: 'Your sign-in code is below:\n\n20:25:07' }, '202507'],
    ['a dot as in an amount', { text: 'Your one-time code: 60.731' }, '60731'],
    ['words and a number', { text: 'Your one-time code:\n\nrype fjell 82' }, 'rype fjell 82'],
    [
      'words of Chinese',
      {
        subject: '登录口令',
        text: '您好！\n\n本次登录口令为四字词语：\n春江花月\n\n请原样输入，十分钟内有效。',
      },
      '春江花月',
    ],
    ['a word in capitals', { text: 'Your one-time code word is\n\nPELARGONIUM' }, 'PELARGONIUM'],
    ['a word with a number', { text: 'Din engångskod:\n\nbjörk91' }, 'björk91'],
    ['lines of spaced digits', { text: 'Your sign-in code:\n\n6 0 9\n1 7 4' }, '609174'],
    [
      'groups in brackets',
      { subject: 'Your sign-in code [371] [905]', text: 'Enter it.' },
      '371905',
    ],
    ['a plus between groups', { text: 'Your one-time code is 482+913.' }, '482913'],
    [
      'a quotation of Japanese',
      { text: '次の合言葉をログイン画面にご入力ください。\n「ねこやま」' },
      'ねこやま',
    ],
    [
      'names of digits beside them',
      { text: 'Je inlogcode luidt: vier-acht-twee-negen (4829). Typ de cijfers over in de app.' },
      '4829',
    ],
    ['bars between digits', { text: 'Your login code: 4 | 8 | 2 | 9 | 1 | 3' }, '482913'],
    ['a prefix before groups', { text: 'Your login code is G-551 278' }, '551278'],
    ['words in a sentence', { text: 'Your login code is amber-lake-42.' }, 'amber-lake-42'],
    ['keycaps', { text: 'Your login code: 4️⃣8️⃣2️⃣9️⃣1️⃣3️⃣' }, '482913'],
    ['digits in circles', { text: 'Your login code: ④⑧②⑨①③' }, '482913'],
    ['full-width letters alone', { text: 'Your login code:\n\nＫ７ＱＸ２Ｍ' }, 'K7QX2M'],
    ['full width', { text: 'Your code is ４８２９１３' }, '482913'],
    ['full-width letters', { text: 'Your code is Ａ７Ｋ９Ｑ２' }, 'A7K9Q2'],
    ['Arabic-Indic digits', { text: 'رمز التحقق: ٤٨٢٩١٣' }, '482913'],
    ['Persian digits', { text: 'کد تأیید: ۴۸۲۹۱۳' }, '482913'],
    ['Devanagari digits', { text: 'सत्यापन कोड: ४८२९१३' }, '482913'],
    ['Bengali digits', { text: 'যাচাইকরণ কোড: ৪৮২৯১৩' }, '482913'],
    ['bold digits of mathematics', { text: 'Your code is 𝟒𝟖𝟐𝟗𝟏𝟑' }, '482913'],
    ['pairs of letters or digits', { text: 'Enter this login code:\n\nBX 38 LN' }, 'BX38LN'],
    ['letters before digits', { text: 'Enter this login code:\n\nRTY 774' }, 'RTY774'],
    ['colons', { text: 'Enter this login code:\n\n5F:09:B2' }, '5F09B2'],
    ['a slash', { text: 'Enter this login code:\n\n482/913' }, '482913'],
    ['dashes and a space', { text: 'Your login code: DK-9 04-RT' }, 'DK904RT'],
    ['brackets', { text: 'Enter this login code:\n\n( 6 ) ( 0 ) ( 6 ) ( 1 )' }, '6061'],
    ['a box', { text: 'Enter this login code:\n\n│ 4 │ 8 │ 2 │ 9 │' }, '4829'],
    ['dots between spaced digits', { text: 'Your login code:\n\n2 9 · 4 4 · 0 7' }, '294407'],
    ['groups of random letters', { text: 'Enter this login code:\n\nWPL QHD' }, 'WPLQHD'],
    ['groups in bold', { html: '<p>Type <b>R5K8 2N</b> to log in to your account.' }, 'R5K82N'],
    ['short words', { text: 'Enter this login code:\n\nek-sol-71' }, 'ek-sol-71'],
    ['a word in capitals', { text: 'Enter this login code:\n\nQUERCIA-73' }, 'QUERCIA-73'],
    ['other letters', { text: 'Your login code:\n\ngranskog måne brygge' }, 'granskog måne brygge'],
    ['letters behind dots', { text: 'LOGIN CODE ....... WPLQHD' }, 'WPLQHD'],
    ['an equals sign', { subject: '[TEST] verify', text: 'code=918273' }, '918273'],
    ['behind an address', { text: '您正在绑定邮箱li@post.example，验证码：395018' }, '395018'],
    ['pairs of pairs', { text: 'Your login code is 27 61 – 30 84.' }, '27613084'],
    ['pairs that are no date', { text: 'Enter this login code:\n\n27/61/30' }, '276130'],
    ['a slash in a sentence', { text: 'Your login code is 482/913.' }, '482913'],
    ['pairs in a sentence', { text: 'Your login code is AB 12 CD.' }, 'AB12CD'],
    ['dots in a sentence', { text: 'Your login code is A1.B2.C3.' }, 'A1B2C3'],
    ['random letters in a sentence', { text: 'Your login code is KXQ TRM.' }, 'KXQTRM'],
    ['pairs of random letters', { text: 'Enter this login code:\n\nKX QT RM' }, 'KXQTRM'],
    ['both cases with a space', { text: 'Enter this login code:\n\naB3 xY9' }, 'aB3xY9'],
    ['small letters behind a colon', { text: 'Your login code: kxqtrm' }, 'kxqtrm'],
    ['a prefix and two groups', { text: 'Your login code is M-517-734' }, '517734'],
    ['its name in the same line', { text: 'Enter this login code:\n\nTAC 517-734' }, '517734'],
    ['digits in black circles', { text: 'Your login code: ❹❽❷❾❶❸' }, '482913'],
    ['digits in brackets', { text: 'Your login code: ⑷⑻⑵⑼⑴⑶' }, '482913'],
    ['Cyrillic letters', { text: 'Въведете кода за вход:\n\nЖКМ-ТРЛ' }, 'ЖКМТРЛ'],
    ['spaced Arabic digits', { text: 'أدخل رمز التحقق:\n\n( ٦ ) ( ٠ ) ( ٦ ) ( ١ )' }, '6061'],
    ['a number between words', { text: 'Your login code is amber-42-lake.' }, 'amber-42-lake'],
    ['underscores', { text: 'Enter this login code:\n\namber_lake_river' }, 'amber_lake_river'],
    [
      'capitalised words',
      { text: 'Enter this login code:\n\nAmber-Lake-River' },
      'Amber-Lake-River',
    ],
    ['few vowels', { text: 'Your login code is DVA-KLJUN-83.' }, 'DVA-KLJUN-83'],
    [
      'words of Japanese',
      { text: 'ログイン画面に次の合言葉を入力してください。\n\nすずめ-ゆうだち-かさ' },
      'すずめ-ゆうだち-かさ',
    ],
    [
      'a number between Cyrillic words',
      { text: 'Одноразовый пароль для входа:\n\nснег-весло-17-ворон' },
      'снег-весло-17-ворон',
    ],
    ['marks of direction', { text: 'קוד אימות: \u200e482913\u200e' }, '482913'],
  ]
  for (const [name, mail, value] of forms) {
    it(`${name} is a candidate`, () => {
      assert.ok(candidateIn({ subject: 'Your sign-in code', ...mail }, value) !== undefined)
    })
  }

  it('is one that is given, but for the rarest', () => {
    const wrong = forms.filter(([, mail, value]) => codeInMail(mail) !== value)
    const names = wrong.map(([name]) => name)
    assert.ok(wrong.length <= 0.05 * forms.length, `${names.length}: ${names.join(', ')}`)
  })
})

describe('where a code stands', () => {
  const places: readonly (readonly [string, Mail, string])[] = [
    ['in a box of its own', { html: '<p>Your code</p><div><b>482913</b></div>' }, '482913'],
    ['a cell a digit', { html: `<p>Your code<table><tr>${cells('482913')}</table>` }, '482913'],
    ['two lines', { text: 'Your login code:\n\n482\n913\n\nTen minutes.' }, '482913'],
    [
      'blocks with a dash between',
      { html: '<p>Your login code<div>482</div><div>-</div><div>913</div>' },
      '482913',
    ],
    [
      'a cell a pair',
      { html: '<p>Your login code<table><tr><td>K7<td>QX<td>2M</table>' },
      'K7QX2M',
    ],
    [
      'four pairs',
      { html: '<p>Your login code<table><tr><td>48<td>29<td>13<td>77</table>' },
      '48291377',
    ],
    ['behind three dots', { text: 'Login code ... 482913\nUser ......... sam' }, '482913'],
    ['two cells', { html: '<p>Your code<table><tr><td>482<td>913</table>' }, '482913'],
    [
      'a block a digit',
      { html: '<p>Your code<div>4</div><div>8</div><div>2</div><div>9</div>' },
      '4829',
    ],
    ['a span a digit', { html: '<p>Your code: <i>4</i><i>8</i><i>2</i><i>9</i>' }, '4829'],
    ['a line a digit', { text: 'Your code:\n4\n8\n2\n9' }, '4829'],
    ['in the subject alone', { subject: '482913 is your code', text: 'Hello' }, '482913'],
    [
      'named by the subject alone',
      { subject: 'Your login code', text: 'Hi,\n\n482913\n\nBye' },
      '482913',
    ],
    [
      'in the text part alone',
      { text: 'Your code: 482913', html: '<p>See the text part.' },
      '482913',
    ],
    ['in an image', { html: '<p>Your verification code:</p><img alt="482913" src=x>' }, '482913'],
    ['in a field', { html: '<p>Your verification code:</p><input value="482 913">' }, '482913'],
    ['behind a word in brackets', { text: 'Your one-time password (OTP) 482913' }, '482913'],
    ['in square brackets', { text: '인증번호 [093377]을 입력해 주세요' }, '093377'],
    [
      'in the preview text',
      { html: '<div style="display:none">482913 is your login code</div><p>Sign in to Lumora' },
      '482913',
    ],
    [
      'below ancestors without a size',
      { html: '<p>Your code</p><div style="font-size:0"><p style="font-size:20px">482913' },
      '482913',
    ],
    ["in Apple's line", { text: 'Hello\n\n@lumora.example #482913' }, '482913'],
    [
      'behind a broken line',
      { text: `Your one-time passcode ${'for all of this '.repeat(3)}is\n482913. Bye` },
      '482913',
    ],
  ]
  for (const [name, mail, value] of places) {
    it(name, () => assert.equal(codeInMail(mail), value))
  }

  it('not where hidden text alone says so', () => {
    const html = '<p>Sign in to Lumora</p><div style="display:none">Your code is 482913</div>'
    assert.equal(codeIn({ html }), null)
  })

  it('is what is seen, and not what is hidden beside it', () => {
    const html = '<p>Your code is 482913</p><i style="display:none">Your code is 111222</i>'
    assert.equal(codeInMail({ html }), '482913')
  })
})

describe('a code in the subject alone', () => {
  const mails: readonly (readonly [string, string])[] = [
    ['482913 is your login code', 'Open the app and enter the code.'],
    ['482913 – Ihr Code', 'Bitte geben Sie den Code aus dem Betreff auf der Anmeldeseite ein.'],
    ['Harbor code: 482913', 'Your Harbor code is in the subject line.\n\nHarbor'],
  ]
  for (const [subject, text] of mails) {
    it(subject, () => assert.equal(codeIn({ subject, text }), '482913'))
  }

  it('is none where the body is about something else', () => {
    const text = 'Your order has been sent. Track it in the app.'
    assert.equal(codeIn({ subject: 'Harbor 482913', text }), null)
  })
})

describe('traps', () => {
  const traps: readonly (readonly [string, Mail, string])[] = [
    ['a year', { text: 'What 2024 taught us about one-time codes' }, '2024'],
    ['a price', { text: 'Your verification code for 4829 kr' }, '4829'],
    ['a phone number', { text: 'Your code: call +442079460018' }, '442079460018'.slice(0, 12)],
    ['a phone number', { text: 'Security code by phone: 01 48 29 13 03' }, '0148291303'],
    ['a date', { text: 'Verification code of 20250311' }, '20250311'],
    ['a length of time', { text: 'The code is valid for 1440 minutes' }, '1440'],
    ['a measure or a time', { text: 'The code is valid until 14h35' }, '14h35'],
    ['the last digits of a card or phone number', { text: 'Security code for card *4821' }, '4821'],
    ['the last digits of a card or phone number', { text: 'Code for card ending in 4821' }, '4821'],
    ['a colour', { text: 'Your code #c0ffee' }, 'c0ffee'],
    ['behind a number sign', { text: 'Ask for #482913 at once' }, '482913'],
    ['a postal code', { text: 'Lumora, 1450 Market Street, San Francisco, CA 94103' }, '94103'],
    ['a postal code', { text: '〒150-0002 東京都渋谷区' }, '1500002'],
    ['a copyright line', { text: 'Verification code service © 4829 Lumora' }, '4829'],
    ['the number of a document', { text: 'Code INV-20391' }, '20391'],
    ['a word with a number, as coupons are', { text: 'Your code: SPRING15' }, 'SPRING15'],
    ['in quoted speech', { text: 'Fakes say "your code is 482913" to scare you' }, '482913'],
    ['the text of a link', { html: '<p>Read on: <a href=x>4829</a>' }, '4829'],
    ['a coupon, discount or referral code', { text: 'Discount code: 482913' }, '482913'],
    ['a code for a delivery, door or counter', { text: 'Locker code: 482913' }, '482913'],
    ['a code for a delivery, door or counter', { text: 'Tell the courier the OTP 4829' }, '4829'],
    ['a meeting code', { text: 'Meeting passcode: 482913' }, '482913'],
    ['a technical number', { text: 'Error code 482913' }, '482913'],
    ['an amount', { text: 'Total amount: 4829' }, '4829'],
    ['the number of a customer or an account', { text: 'Customer code: 482913' }, '482913'],
    [
      'a phone number or postal address',
      { text: 'Call us at 593-8174 about your code' },
      '5938174',
    ],
    ['expired or used', { text: 'The verification code 482913 has expired.' }, '482913'],
    ['only an example', { text: 'For example, your verification code is 482913.' }, '482913'],
    ['a field of JSON', { text: 'Call failed: {"error": {"code": "482913"}}' }, '482913'],
    ['sent another way', { text: 'We texted a code to 482913' }, '482913'],
    ['nothing calls it a code', { text: 'There were 482913 people' }, '482913'],
    ['recovery codes', { subject: 'Your backup codes', text: 'Code: 482913' }, '482913'],
    ['reads like a word', { text: 'Your code\n\nLUMORA' }, 'LUMORA'],
    ['many digits', { text: 'Code 482913037' }, '482913037'],
  ]
  for (const [reason, mail] of traps) {
    it(`${reason}: ${mail.text ?? mail.html}`, () => assert.equal(codeIn(mail), null))
  }

  for (const named of ['Order', 'Invoice', 'Ticket', 'Booking', 'Tracking number', 'Receipt no.']) {
    it(`a number that names something: ${named}`, () => {
      assert.equal(codeIn({ text: `${named}: 482913` }), null)
    })
  }

  it('a list of codes', () => {
    const text = 'Your recovery codes:\n\n482913\n\n730528\n\n019284\n\n558201\n\n661903'
    assert.equal(codeIn({ subject: 'Your recovery codes', text }), null)
  })

  const silent: readonly string[] = [
    'Your code: see 203.0.113.84',
    'Your code: version 12.4821.9',
    'Your code was made at 10:4829',
    'Your code: 14/03/2025',
    'Your code: 2025-03-14',
    'Your code: 1,482.50',
    'Your code: https://lumora.example/482913?code=739104',
    'Your code: jo482913@inbox.example',
    'Your code: DE89 3704 0044 0532 0130 00',
    'Your code: 48291303712345',
    'Your code: Q 148.50',
    'Your code: northwind-2024',
  ]
  for (const text of silent) {
    it(`no code: ${text}`, () => assert.equal(codeIn({ text }), null))
  }
})

describe('the plainest mail', () => {
  const subject = 'hello'
  const text = 'Your code is 482913. See https://example.com/x'
  const html = '<p>Your code is <b>482913</b>. <a href="https://example.com/x">See</a></p>'

  it('has a code as text', () => assert.equal(codeIn({ subject, text }), '482913'))
  it('has a code as HTML', () => assert.equal(codeIn({ subject, html }), '482913'))
  it('has a code as both', () => assert.equal(codeIn({ subject, text, html }), '482913'))
})

describe('a number of the subject', () => {
  it('that an order has does not make the mail one about orders', () => {
    const subject = 'Order 482913 - is this you?'
    const text = 'If that was you, enter the code 913482 on the cancellation page.'
    assert.equal(codeIn({ subject, text }), '913482')
  })
})

describe('a cell beside a number', () => {
  it('is its only label, whatever the rows above say', () => {
    const html = `<table><tr><td>Method<td>Password and authenticator code
      <tr><td>Incident<td>660193</table>`
    assert.equal(codeIn({ subject: 'New sign-in to your account', html }), null)
  })
})

describe('several numbers of one form', () => {
  const text = [
    'Transfer number: 884213',
    'Amount: 2,400.00 EUR to account 73918204',
    'Approval code: 415926. Never tell it to anyone.',
    'Card ending 4821, ticket 771204, call 555019.',
  ].join('\n\n')

  it('are told apart by what they are called', () => assert.equal(codeIn({ text }), '415926'))

  it('are reported with what stands around them', () => {
    const ticket = candidateIn({ text }, '771204')
    assert.ok((ticket?.confidence ?? 1) < 0.1)
    assert.match(String(ticket?.reasonsAgainst), /It stands after ‘Card ending 4821, ticket’/)
    const code = candidateIn({ text }, '415926')
    assert.match(String(code?.reasonsFor), /It stands after ‘Approval code:’/)
  })
})

describe('looks', () => {
  it('are told', () => {
    const html = '<p>Your sign-in code:</p><p style="font-size:30px;font-weight:bold">482913</p>'
    const { reasonsFor = [], reasonsAgainst = [] } = candidateIn({ html }, '482913') ?? {}
    const told = [...reasonsFor, ...reasonsAgainst].join('\n')
    assert.match(told, /It is alone in its line, large, bold/)
    assert.match(told, /The text before it says ‘Your sign-in code:’/)
  })
})

describe('any input', () => {
  const mails = fc.record({
    subject: fc.option(fc.string({ unit: anyCharacter })),
    text: fc.option(fc.string({ unit: anyCharacter })),
    html: fc.option(fc.string({ unit: anyCharacter }).map((html) => readHtml(html))),
  })

  it('gives an answer that holds together', () => {
    fc.assert(
      fc.property(mails, (mail) => {
        const { otp, candidates } = findOtp(mail)
        const sure = candidates.map(({ confidence }) => confidence)
        assert.deepEqual(
          sure,
          sure.toSorted((one, other) => other - one),
        )
        assert.ok(sure.every((confidence) => confidence >= 0 && confidence < 1))
        if (otp !== null) assert.equal(otp.value, candidates[0]?.value)
      }),
    )
  })

  it('gives the code whatever stands around it in other lines', () => {
    const word = fc.constantFrom('hello', 'Casey', 'thanks', 'welcome', 'Lumora', 'team')
    const words = fc.array(word, { maxLength: 8 }).map((all) => all.join(' '))
    fc.assert(
      fc.property(words, words, fc.integer({ min: 100_000, max: 999_999 }), (head, tail, code) => {
        const text = `${head}\n\nYour verification code is ${code}.\n\n${tail}`
        assert.equal(codeIn({ text }), String(code))
      }),
    )
  })

  it('is read up to a bound', () => {
    const code = 'Your verification code is 482913'
    const lines = 'Lorem ipsum dolor sit amet, consectetur. '.repeat(20)
    const near = `${lines}\n\n${code}`
    const far = `${lines.repeat(READ_CHARS_MAX / lines.length + 1)}\n\n${code}`
    assert.equal(codeIn({ text: near }), '482913')
    assert.equal(codeIn({ text: far }), null)
  })
})

describe('a number of a mail without a code', () => {
  const mails: readonly (readonly [string, Mail])[] = [
    [
      'of a card payment',
      {
        subject: 'Kvittering 100482',
        text: 'Tak for dit køb!\n\nI alt 528,00 DKK\nBetalt med kort **** 7719\nAutorisationskode: 048213',
      },
    ],
    [
      'of a card payment without an order',
      {
        subject: 'Potwierdzenie płatności',
        text: 'Kwota: 120,00 PLN\nKarta: **** 1029\nKod autoryzacji: 552013\nDziękujemy za zakupy.',
      },
    ],
    [
      'of a coupon',
      { subject: 'Quà tháng 6', text: 'Nhập mã MAY30K khi đặt hàng để được giảm 30.000đ.' },
    ],
    [
      'of the account whose password is reset',
      {
        subject: 'إعادة تعيين كلمة المرور',
        text: 'وصلنا طلب لإعادة تعيين كلمة مرور حسابك رقم 330187.',
      },
    ],
    [
      'of a request whose title quotes a code',
      {
        subject: '[#771820] Λάβαμε το αίτημά σας',
        text: 'Λάβαμε το αίτημά σας με αριθμό 771820 και θέμα «Δεν έρχεται ο κωδικός μίας χρήσης».',
      },
    ],
    [
      'of a card payment with a warning',
      {
        subject: 'Операция по карте *5512',
        text: 'Покупка 1 249,00 RUB\nКарта: *5512\nКод авторизации: 074316\nДоступный остаток: 38 204,55 RUB\n\nБанк никогда не запрашивает коды из SMS.',
      },
    ],
    ['made of a word', { text: 'Geef die beveiligingscode nooit door: niet per telefoon' }],
    ['of a turnstile', { subject: 'Tu pase de un día', text: 'Código del torno:\n\n2058' }],
    [
      'of a year in a date',
      { text: 'We received a request to sign in using this email at 9:41 PM, Nov 3, 2024.' },
    ],
    [
      'that is an amount in the subject',
      { subject: 'You earned 4,820 points', html: '<p><b>4820</b><p>points are in your account.' },
    ],
    [
      'that is an example in another place',
      {
        subject: 'Better OTP emails',
        text: 'Your Acme code is 123456 is a good subject.\nBind it to a domain, e.g. @acme.example #123456.',
      },
    ],
    [
      'of a booking, in a table',
      {
        subject: 'Reserva confirmada',
        html: '<table><tr><td>Número de reserva<td>6704902338<tr><td>Código PIN (confidencial)<td>6182<tr><td>Precio<td>184,00 €</table>',
      },
    ],
    ['in a field that is not shown', { html: '<p>Your code<input type=hidden value=482913>' }],
    ['of a class', { text: 'Your code for the class VIII-2' }],
    ['of a town', { text: 'Enter your code.\n\nClinic, 450 Pine Avenue, Rimouski G5L 1A1' }],
  ]
  for (const [name, mail] of mails) it(name, () => assert.equal(codeIn(mail), null))
})

describe('a code beside other numbers', () => {
  const mails: readonly (readonly [string, Mail, string])[] = [
    [
      'with a letter that is a word',
      {
        subject: 'Код за потврда',
        text: 'За да го поврзете профилот со ученикот бр. 14 од VIII-2, внесете го кодот N3PT70 во апликацијата.',
      },
      'N3PT70',
    ],
    [
      'of a payment with its amount',
      {
        subject: 'Egyszer használatos jelszó',
        text: 'Az egyszer használatos jelszó a 31 900 Ft összegű fizetéshez: 3046',
      },
      '3046',
    ],
    [
      'with an encoded address and an example as the sender',
      {
        subject: 'Verify your email address',
        text: 'Hello,\n\nyour verification code is 491816.\n\nOr follow this link: http://127.0.0.1:8025/verify?email=a%40mayfly.test&code=491816\n\nExample App',
      },
      '491816',
    ],
    [
      'that replaces another',
      { subject: 'A fresh code', text: 'The code 224587 has expired. New code: 550631' },
      '550631',
    ],
    [
      'behind a number in brackets',
      {
        subject: 'Auftrag bestätigen',
        text: 'Für Ihren Auftrag (Rechnung 10417) lautet die TAN zur Auftragsnummer 3304718:\n518 663\nBitte geben Sie die TAN ein.',
      },
      '518663',
    ],
    [
      'beside a masked number',
      { text: 'Your OTP to update the mandate (PAN ABXXXXX18K) is 285140. Valid for 10 mins.' },
      '285140',
    ],
    [
      'of a document that a dash separates',
      {
        subject: 'Code de signature – dossier n° 77410',
        text: 'Saisissez le code de signature 583214 dans la fenêtre pour signer.',
      },
      '583214',
    ],
    [
      'in a JSON document',
      {
        subject: 'otp_requested',
        text: '{\n"user_id": 20418,\n"otp": "003941",\n"expires_in": 300\n}',
      },
      '003941',
    ],
    [
      'written in parts as well',
      {
        subject: 'Pair your TV',
        text: 'First sign: R\nSecond sign: 6\nThird sign: 6\nFourth sign: C\nSo R66C. It lasts ten minutes.',
      },
      'R66C',
    ],
    [
      'of a transfer with its account',
      {
        subject: 'Kod autoryzacyjny',
        text: 'Kod do przelewu nr 3 na kwotę 1.250,00 PLN na rachunek 12...4821 to: 627184. Nie podawaj go nikomu.',
      },
      '627184',
    ],
  ]
  for (const [name, mail, code] of mails) it(name, () => assert.equal(codeIn(mail), code))
})

describe('what could be a code', () => {
  const values = (text: string): readonly string[] => {
    const { candidates } = findOtp(inputOf({ text }))
    return candidates.map(({ value }) => value).sort()
  }

  it('has no word beside groups or a bracket', () => {
    assert.deepEqual(values('Please verify your mail. (Code L28CAI) If not, ignore it.'), [
      'L28CAI',
    ])
    assert.deepEqual(values('Of the two codes yours is 58-21-06 (mine is in).'), ['582106'])
  })

  it('may be behind an address in JSON', () => {
    assert.deepEqual(values('{"email":"qa+17@internal.example","otp":"830264"}'), ['830264'])
  })

  it('may be words of which the first has a digit', () => {
    assert.deepEqual(values('m4-zorro-lento'), ['m4-zorro-lento'])
  })
})
