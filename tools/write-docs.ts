// Writes the documents that follow from the code: npm run docs

import { writeFile } from 'node:fs/promises'
import { generatedDocuments } from './documents.ts'

for (const [path, text] of await generatedDocuments()) {
  await writeFile(new URL(`../${path}`, import.meta.url), text)
  process.stdout.write(`wrote ${path}\n`)
}
