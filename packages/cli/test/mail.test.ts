import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { printable, printableLine } from '../src/output.ts'
import { parseAddress } from '../src/send-mail.ts'
import { fillTemplate, loadTemplate } from '../src/templates.ts'

describe('an address', () => {
  it('is read with the name in front of it', () => {
    const cases: readonly [string, string, string][] = [
      ['ann@b.example', '', 'ann@b.example'],
      [' <ann@b.example> ', '', 'ann@b.example'],
      ['Ann <ann@b.example>', 'Ann', 'ann@b.example'],
      ['"Acme, Inc." <ann@b.example>', 'Acme, Inc.', 'ann@b.example'],
      ['Jürgen "J" <j@b.example>', 'Jürgen "J"', 'j@b.example'],
    ]
    for (const [text, name, address] of cases) {
      assert.deepEqual(parseAddress(text), { name, address })
    }
  })

  it('is refused when it would add a header or a recipient', () => {
    for (const text of [
      'a b@c.example',
      'a@b.example\r\nBcc: <x@y.example>',
      'ann',
      '<a@b><c@d>',
    ]) {
      assert.throws(() => parseAddress(text), /is not an email address/, text)
    }
  })
})

describe('a template', () => {
  it('has its placeholders replaced, escaped in HTML', async () => {
    const filled = fillTemplate(await loadTemplate('otp'), { code: '4815<16' })
    assert.match(filled.text ?? '', /code is 4815<16\./)
    assert.match(filled.html ?? '', /<b>4815&#60;16<\/b>/)
    const other = fillTemplate(await loadTemplate('otp'), {})
    assert.match(other.text ?? '', /code is \d{6}\./)
  })

  it('names a placeholder that has no value', () => {
    const template = { subject: '{{ team }}', text: null, html: null }
    assert.throws(() => fillTemplate(template, {}), /needs --set team=…/)
  })

  it('refuses a value for a placeholder that it does not have', () => {
    const template = { subject: '{{ team }}', text: '{{team}} {{url}}', html: null }
    const settings = { team: 'QA', code: '1' }
    assert.throws(() => fillTemplate(template, settings), /no \{\{code\}\}\. It has: team, url\./)
    const empty = { subject: 'Hello', text: null, html: null }
    assert.throws(() => fillTemplate(empty, settings), /no \{\{team\}\}\. It has: none\./)
  })
})

describe('text of a mail on a terminal', () => {
  it('keeps letters and line breaks and loses control characters', () => {
    assert.equal(printable('a\x1b[2Jb\r\nc\td\u202eé\u0085'), 'a[2Jb\nc\tdé')
    assert.equal(printableLine(' a\n\tb\x07 '), 'a b')
  })
})
