// How Mailpit's API shows a mail, in the details that suites compare.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApiClient } from '../testing-api-client.ts'
import { send, sharedCatchAll } from './testing-catch-all.ts'

const ENVELOPE = { from: 'a@b.example', to: ['ada@a.example'] }

describe('a message of Mailpit', () => {
  const catchAll = sharedCatchAll()

  async function given(lines: readonly string[]) {
    const service = await catchAll()
    const api = createApiClient(service.httpUrl, null)
    await send(service, { raw: lines.join('\r\n'), envelope: ENVELOPE })
    return { api, message: (await api.get('/api/v1/message/latest')).body }
  }

  it('has the text with the line ends that it was sent with', async () => {
    for (const [encoding, body, text] of [
      ['7bit', 'one\r\n  two  \r\n', 'one\r\n  two  \r\n'],
      ['quoted-printable', 'Gr=C3=BC=C3=9Fe=\r\n, one\r\ntwo\r\n', 'Grüße, one\r\ntwo\r\n'],
      ['base64', `${btoa('one\ntwo\n')}\r\n`, 'one\ntwo\n'],
    ] as const) {
      const type = 'Content-Type: text/plain; charset=utf-8; format=flowed'
      const head = ['From: a@b.example', 'To: ada@a.example', type]
      const lines = [...head, `Content-Transfer-Encoding: ${encoding}`, '', body]
      const { api, message } = await given(lines)
      assert.equal(message.Text, text, encoding)
      assert.equal((await api.get('/view/latest.txt')).text, text, encoding)
    }
  })

  it('names attachments by their places among the parts', async () => {
    const part = (type: string, rest: readonly string[]) => [
      '--o',
      `Content-Type: ${type}`,
      ...rest,
    ]
    const file = (name: string) => [
      ...[`Content-Disposition: attachment; filename=${name}`, '', `bytes of ${name}`],
    ]
    const { api, message } = await given([
      ...['From: a@b.example', 'Content-Type: multipart/mixed; boundary=o', ''],
      ...part('multipart/related; boundary=i', ['']),
      ...['--i', 'Content-Type: text/html', '', '<a  HREF="/x">x</a><img src="cid:logo">'],
      ...['--i', 'Content-Type: image/png', 'Content-ID: <logo>', '', 'PNG', '--i--'],
      ...part('application/pdf', file('a.pdf')),
      ...part('application/pdf', file('b.pdf')),
      '--o--',
    ])
    const idsOf = (files: { PartID: string }[]) => files.map(({ PartID }) => PartID)
    assert.deepEqual([idsOf(message.Inline), idsOf(message.Attachments)], [['1.2'], ['2', '3']])
    const root = `/api/v1/message/${message.ID}/part`
    assert.equal((await api.get(`${root}/2`)).text, 'bytes of a.pdf')
    assert.equal((await api.get(`${root}/3`)).text, 'bytes of b.pdf')
    assert.equal((await api.get(`${root}/1.2`)).text, 'PNG')
    for (const none of ['0', '1', '1.1', '4', 'x']) {
      assert.equal((await api.get(`${root}/${none}`)).status, 404, none)
    }
    const shown = `<img src="${root}/1.2">`
    const html = (await api.get('/view/latest.html')).text.trim()
    assert.equal(html, `<a  HREF="/x">x</a>${shown}`)
    const embedded = (await api.get('/view/latest.html?embed=1')).text.trim()
    const tab = 'target="_blank" rel="noreferrer noopener"'
    assert.equal(embedded, `<a ${tab}  HREF="/x">x</a>${shown}`)
  })

  it('that is a file has the number 0', async () => {
    const type = 'Content-Type: application/pdf; name=a.pdf'
    const { api, message } = await given(['From: a@b.example', type, '', 'x'])
    assert.equal(message.Attachments[0].PartID, '0')
    assert.equal((await api.get('/api/v1/message/latest/part/0')).text, 'x\r\n')
  })

  it('has no field that Mailpit has not, and one Return-Path', async () => {
    const { api, message } = await given([
      ...['X-First: 1', 'RETURN-PATH: <other@b.example>', 'Subject: one', ' two', 'return-path:'],
      ...[' <third@b.example>', 'From: a@b.example', '', 'Return-Path: in the text'],
    ])
    assert.equal('Read' in message, false)
    assert.equal(message.ReturnPath, 'a@b.example')
    const headers = (await api.get('/api/v1/message/latest/headers')).body
    assert.deepEqual(headers['Return-Path'], ['<a@b.example>', '<third@b.example>'])
    assert.deepEqual([headers['Subject'], headers['X-First']], [['one two'], ['1']])
    assert.equal(message.Text, 'Return-Path: in the text\r\n')
  })

  it('has tags of what follows a plus in From, and at most 100', async () => {
    const from = 'From: Sender <a+FromTag@b.example>'
    const { message } = await given([from, 'X-Tags: a@b.example, c<d', '', 'x'])
    assert.deepEqual(message.Tags, ['a@b.example', 'c d', 'FromTag'])
    const many = Array.from({ length: 101 }, (_, i) => `t${i}`)
    const { message: full } = await given([from, `X-Tags: ${many.join(',')}`, '', 'x'])
    assert.equal(full.Tags.length, 100)
  })

  it('has a snippet of 200 bytes', async () => {
    const cases = [
      ['x'.repeat(200), 'x'.repeat(200)],
      ['x'.repeat(201), `${'x'.repeat(200)}...`],
      ['ü'.repeat(99), 'ü'.repeat(99)],
      [`x${'ü'.repeat(120)}`, `x${'ü'.repeat(99)}...`],
      ['one\r\n\r\ntwo  three', 'one two three'],
    ] as const
    for (const [text, snippet] of cases) {
      const { api } = await given(['Content-Type: text/plain; charset=utf-8', '', text])
      const list = await api.get('/api/v1/messages?limit=1')
      assert.equal(list.body.messages[0].Snippet, snippet)
    }
    const words = Array.from({ length: 60 }, (_, i) => `w${i}`).join(' ')
    const html = `<style>${'p { color: red }'.repeat(500)}</style><p>${words}</p>`
    const { api } = await given(['Content-Type: text/html', '', html])
    const [summary] = (await api.get('/api/v1/messages?limit=1')).body.messages
    assert.equal(summary.Snippet, `${words.slice(0, 200)}...`)
  })

  it('is found by words with other punctuation', async () => {
    const { api } = await given([
      ...['From: "Lovelace, Ada" <a@b.example>', 'Subject: Your (new) order', ''],
      'the email body 14 <jdsauk;dwqmdqw;>.',
    ])
    const found = async (query: string) =>
      (await api.get(`/api/v1/search?query=${encodeURIComponent(query)}`)).body.messages_count
    for (const query of ['"the email body 14 jdsauk dwqmdqw"', '"Your new order"', 'jdsauk;dwq']) {
      assert.ok((await found(query)) > 0, query)
    }
    assert.equal(await found('"the email body 15 jdsauk dwqmdqw"'), 0)
    assert.equal(await found('"14jdsauk"'), 0)
  })
})
