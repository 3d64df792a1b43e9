import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeEachDatabase, NOW, newMail } from '../../../test/testing-store.ts'

describeEachDatabase('mails', (open) => {
  it('are looked at for missing messages only up to the first that is too young', async () => {
    const store = await open()
    const given = ['eml_1', 'eml_2', 'eml_3'].map((id, i) => ({
      ...newMail(i === 1 ? NOW + 1 : NOW),
      id,
    }))
    await store.mails.add(given, [])
    const { sizeBytes } = newMail(NOW)
    const look = (after: string) => store.mails.listUnshared({ after, until: NOW, limit: 10 })
    assert.deepEqual(await look(''), { mails: [{ mailId: 'eml_1', sizeBytes }], last: 'eml_1' })
    // All later mails would be read otherwise, however many they are.
    assert.deepEqual(await look('eml_1'), { mails: [], last: null })
  })
})
