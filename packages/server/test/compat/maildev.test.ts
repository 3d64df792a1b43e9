import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createApiClient } from '../testing-api-client.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { send, startCatchAll } from './testing-catch-all.ts'

onEachDatabase("MailDev's API", (create) => {
  it('lists, reads, marks and deletes at the paths of versions 2 and 3', async () => {
    await using database = await create()
    await using service = await startCatchAll(database)
    const api = createApiClient(service.httpUrl, null)
    for (const subject of ['one', 'two', 'three']) {
      await send(service, {
        to: 'Ada <ada@elsewhere.example>',
        subject,
        html: `<p>${subject}</p><script>alert(1)</script>`,
        attachments: [{ filename: 'note.txt', content: subject }],
      })
    }
    const mails = (await api.get('/email')).body
    assert.deepEqual(
      mails.map(({ subject }: { subject: string }) => subject),
      ['one', 'two', 'three'],
    )
    const [one, two, three] = mails
    assert.deepEqual(one.to, [{ address: 'ada@elsewhere.example', name: 'Ada' }])
    assert.deepEqual([one.read, one.headers.subject], [false, 'one'])
    assert.deepEqual(one.envelope.to, [{ address: 'ada@elsewhere.example', args: false }])
    assert.equal((await api.get('/api/email?subject=two')).body[0].id, two.id)
    assert.equal((await api.get('/email?from.address=shop@example.com&limit=2')).body.length, 2)
    assert.equal((await api.get('/email?subject=four')).body.length, 0)

    assert.equal((await api.get(`/api/email/${two.id}`)).body.subject, 'two')
    const summary = (await api.get('/api/email/summary')).body
    assert.deepEqual([summary.total, summary.unread, summary.items.length], [3, 2, 3])
    const html = await api.get(`/email/${one.id}/html`)
    assert.match(html.text, /<p>one<\/p>/)
    assert.match(String(html.headers['content-security-policy']), /^sandbox /)
    assert.match((await api.get(`/email/${one.id}/source`)).text, /Subject: one/)
    const { generatedFileName } = one.attachments[0]
    for (const name of ['note.txt', generatedFileName]) {
      assert.equal((await api.get(`/email/${one.id}/attachment/${name}`)).text, 'one')
    }
    assert.equal((await api.get(`/email/${one.id}/attachment/other`)).status, 404)
    assert.equal((await api.send('PATCH', '/email/read-all')).body, 2)
    const removed = await api.post('/api/email/delete', { ids: [one.id, 'msg_unknown', one.id] })
    assert.deepEqual(removed.body, { deleted: [one.id], notFound: ['msg_unknown'] })
    assert.equal((await api.delete(`/email/${two.id}`)).body, true)
    assert.equal((await api.delete(`/email/${two.id}`)).status, 404)
    assert.equal((await api.post(`/email/${three.id}/relay`)).status, 500)
    assert.equal((await api.delete('/email/all')).body, true)
    assert.deepEqual((await api.get('/email')).body, [])
    assert.equal((await api.get('/config')).body.isOutgoingEnabled, false)
  })
})
