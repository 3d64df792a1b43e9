import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeEachDatabase, NOW, newMail } from '../../../test/testing-store.ts'

describeEachDatabase('mails', (open) => {
  it('are looked at for missing messages, but for those that are too young', async () => {
    const store = await open()
    const given = ['eml_1', 'eml_2', 'eml_3'].map((id, i) => ({
      ...newMail(i === 1 ? NOW + 1 : NOW),
      id,
    }))
    await store.mails.add(given, [])
    const { sizeBytes } = newMail(NOW)
    const look = (after: string) => store.mails.listUnshared({ after, until: NOW, limit: 10 })
    const mails = ['eml_1', 'eml_3'].map((mailId) => ({ mailId, sizeBytes }))
    assert.deepEqual(await look(''), { mails, last: 'eml_3' })
    assert.deepEqual(await look('eml_3'), { mails: [], last: null })
  })
})
