import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../test/testing-any-character.ts'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { QUERY_TERMS_MAX } from '../limits.ts'
import { findUnmetTerm } from './match-query.ts'
import { parseQuery } from './parse-query.ts'
import { type QueriedContent, QueriedMail, type QueriedSummary } from './queried-mail.ts'

const SUMMARY: QueriedSummary = {
  inbox: { id: 'inb_1', address: 'qa@mayfly.test' },
  receivedAt: Date.UTC(2026, 10, 15, 9, 30),
  from: { name: 'Ada Löve', address: 'ada@acme.example' },
  subject: 'Your Sign-in Code',
  sizeBytes: 30 * 1024,
  isRead: false,
  hasAttachments: true,
  otp: '481516',
}

const CONTENT: QueriedContent = {
  to: [{ name: 'Quality', address: 'qa@mayfly.test' }],
  cc: [{ name: null, address: 'boss@acme.example' }],
  replyTo: [{ name: 'Help', address: 'help@acme.example' }],
  recipients: ['qa+ci@mayfly.test'],
  headers: [
    { name: 'Message-ID', value: '<abc123@acme.example>' },
    { name: 'List-Id', value: 'Acme News <news.acme.example>' },
    { name: 'X-Tags', value: 'Release, smoke test' },
    { name: 'Bcc', value: 'Hidden <hidden@acme.example>' },
  ],
  links: [{ url: 'https://user@App.Acme.example:8443/verify?x=1' }],
  attachments: [{ filename: 'Rechnung März.pdf', inline: false }],
  text: 'Hello Ada,\nyour code\nis 481516.',
  html: '<p>Hello <b>A</b>da, only in the mark<i>up</i></p>',
}

async function matches(q: string): Promise<boolean> {
  return (await findUnmetTerm(parseQuery(q), SUMMARY, async () => CONTENT)) === null
}

describe('a query', () => {
  const holds = [
    'ada',
    'LOVE',
    '"your code is"',
    'code "sign-in code"',
    '"ada, only in the markup"',
    'rechnung',
    'hidden@acme',
    'from:ada from:acme.example',
    'FROM:"Ada Love"',
    'to:quality to:qa+ci',
    'cc:boss bcc:hidden bcc:qa+ci@mayfly.test reply-to:help',
    'addressed:boss addressed:ada',
    'subject:"sign-in code"',
    'message-id:<abc123@',
    'header:list-id header:List-Id=news header:"X-Tags=smoke test"',
    'has:attachment has:attachments has:html has:otp has:link',
    'is:unread is:tagged',
    'tag:release tag:"Smoke Test" tag:CI',
    'otp:any otp:481516',
    'link:acme.example link:app.acme.example link:https://app.acme.example/other',
    'after:2026-11-15 before:2026-11-16 after:2026/11/15',
    'after:2026 before:2027 after:2026-11 before:2026-12 smaller:1GB smaller:"1 MB"',
    'after:"2026-11-15 09:30" before:"2026-11-15 09:31:00" after:2026-11-15T10:30:00+0100',
    'after:2026-11-15T09:30Z after:2026-11-15T10:30+01:00 before:2026-11-15T09:31',
    'larger:29K smaller:1M larger:100 smaller:0.1MB',
    'in:inb_1 in:QA@mayfly.test',
    '-bob !bob -from:bob -is:read -has:inline -"your password"',
    '',
    '""',
  ]
  for (const q of holds) {
    it(`holds: ${q}`, async () => {
      assert.deepEqual(parseQuery(q).problems, [])
      assert.ok(await matches(q))
    })
  }

  const fails = [
    'bob',
    'ada bob',
    '"code your"',
    '"example your"',
    'from:boss',
    'to:boss',
    'subject:hello',
    'header:list-id=other header:x-missing',
    'header:list',
    'has:inline',
    'is:read',
    'tag:smoke',
    'otp:999999',
    'link:me.example link:cme.example',
    'link:acme.example.org',
    'after:2026-11-16',
    'before:2026-11-15T09:30Z',
    'larger:30K',
    'smaller:30K',
    'in:inb_2',
    '-ada',
    '-is:unread',
    '"from:ada"',
    'unknown:thing',
  ]
  for (const q of fails) {
    it(`does not hold: ${q}`, async () => {
      assert.deepEqual(parseQuery(q).problems, [])
      assert.equal(await matches(q), false)
    })
  }

  const invalid: readonly (readonly [string, RegExp])[] = [
    ['from:', /^from: needs a value$/],
    ['-in:', /^-in: needs a value$/],
    ['ada larger:tall', /^larger:tall: needs a size/],
    ['before:yesterday', /needs a date/],
    ['after:2026-13-45', /needs a date/],
    ['is:red', /^is:red: must be read, unread, tagged/],
    ['-has:virus', /^-has:virus: must be attachment/],
    ['header:a=b header:=', /needs the name of a header/],
    ['a '.repeat(QUERY_TERMS_MAX + 1), /more than 20 terms/],
  ]
  for (const [q, problem] of invalid) {
    it(`is invalid: ${q.slice(0, 40)}`, () => {
      const { problems, terms } = parseQuery(q)
      assert.match(String(problems), problem)
      assert.ok(terms.length <= QUERY_TERMS_MAX)
    })
  }

  it('reads the content only when the rest of it holds', async () => {
    const never = async () => assert.fail('the content was read')
    assert.equal(
      (await findUnmetTerm(parseQuery('ada is:read'), SUMMARY, never))?.source,
      'is:read',
    )
    assert.equal(await findUnmetTerm(parseQuery('is:unread otp:any'), SUMMARY, never), null)
  })

  it('does not match a mail that was deleted in the meantime', async () => {
    assert.notEqual(await findUnmetTerm(parseQuery('-ada'), SUMMARY, async () => null), null)
  })
})

describe('any query', () => {
  const word = fc.string({
    unit: fc.constantFrom('a', 'B', 'ö', ' ', '"', ':', '-', '!', '='),
    maxLength: 12,
  })
  const filter = fc.constantFrom(
    'from:',
    'header:',
    'is:',
    'after:',
    'larger:',
    'has:',
    'tag:',
    '-',
    '',
  )
  const text = fc
    .array(fc.tuple(filter, word), { maxLength: 25 })
    .map((parts) => parts.map((part) => part.join('')).join(' '))

  it('is parsed or has a problem, and never throws', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(text, fc.string({ unit: anyCharacter, maxLength: 200 })),
        async (q) => {
          const { terms, problems } = parseQuery(q)
          assert.ok(terms.length <= QUERY_TERMS_MAX)
          assert.ok(problems.every((problem) => problem.length < 700))
          await matches(q)
        },
      ),
      { numRuns: 5_000 },
    )
  })

  it('holds exactly when its negation does not', async () => {
    await fc.assert(
      fc.asyncProperty(filter, word, async (prefix, value) => {
        const term = `${prefix}"${value.replaceAll('"', '')}"`
        const [parsed] = parseQuery(`-${term}`).terms
        if (parsed === undefined || term.startsWith('-')) return
        assert.notEqual(await matches(term), await matches(`-${term}`), term)
      }),
      { numRuns: 5_000 },
    )
  })

  it('finds every phrase of a text, and says which text a match contains', () => {
    const letters = fc.string({
      unit: fc.constantFrom('a', 'b', 'É', 'ß', ' ', '\n'),
      maxLength: 40,
    })
    fc.assert(
      fc.asyncProperty(letters, letters, letters, async (before, phrase, behind) => {
        const content = { ...CONTENT, text: `${before}${phrase}${behind}`, html: null }
        const [term] = parseQuery(`"${phrase}"`).terms
        if (term === undefined) return
        const query = { terms: [term], problems: [] }
        assert.equal(await findUnmetTerm(query, SUMMARY, async () => content), null)
        const indexed = new QueriedMail(SUMMARY, content).searchText()
        assert.ok(indexed.includes(String(term.containedText)))
      }),
      { numRuns: 2_000 },
    )
  })

  it('takes linear time', async () => {
    const almost = `${'a'.repeat(240)}b${'a'.repeat(240)}`
    const content = { ...CONTENT, text: 'a'.repeat(4_000_000), html: '<'.repeat(2_000_000) }
    const query = parseQuery(`"${almost}" -c -d -e -f`)
    const mail = new QueriedMail(SUMMARY, content)
    const ms = workedMs(() => {
      for (const term of query.terms) if (term.reads === 'content') term.holds(mail)
    })
    assert.ok(ms < 1_000, `${ms} ms`)
  })
})
