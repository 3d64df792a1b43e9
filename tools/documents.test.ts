import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { generatedDocuments } from './documents.ts'

describe('generated documents', async () => {
  for (const [path, text] of await generatedDocuments()) {
    it(`${path} says what the code does; otherwise: npm run docs`, async () => {
      assert.equal(await readFile(new URL(`../${path}`, import.meta.url), 'utf8'), text)
    })
  }
})
