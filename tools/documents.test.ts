import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { generatedDocuments } from './documents.ts'

const documents = await generatedDocuments()

describe('generated documents', () => {
  for (const [path, text] of documents) {
    it(`${path} says what the code does; otherwise: npm run docs`, async () => {
      assert.equal(await readFile(new URL(`../${path}`, import.meta.url), 'utf8'), text)
    })
  }
})
