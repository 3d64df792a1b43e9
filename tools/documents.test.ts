import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { generatedDocuments } from './documents.ts'

const documents = await generatedDocuments()

describe('generated documents', () => {
  for (const [path, text] of documents) {
    it(`${path} says what the code does; otherwise: npm run docs`, async () => {
      assert.equal(await readFile(new URL(`../${path}`, import.meta.url), 'utf8'), text)
    })
  }
})

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const IGNORED = ['node_modules/**', '**/node_modules/**', 'dist/**', '**/.venv/**']

/** Links of Markdown to files of the repository, without those in code. */
const LINK = /\[[^\]]*\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g

/** What GitHub makes of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const withoutCode = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, '')

async function anchorsOf(file: string): Promise<ReadonlySet<string>> {
  const text = withoutCode(await readFile(join(ROOT, file), 'utf8'))
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)))
}

it('links of documents lead to files and headings that are there', async () => {
  const files = globSync('**/*', { cwd: ROOT, exclude: IGNORED })
  const broken: string[] = []
  for (const file of files.filter((name) => name.endsWith('.md'))) {
    const text = withoutCode(await readFile(join(ROOT, file), 'utf8'))
    for (const [link, path = '', anchor] of text.matchAll(LINK)) {
      const target = path === '' ? file : normalize(join(dirname(file), path)).replace(/\/$/, '')
      const isThere = files.includes(target)
      const hasAnchor =
        anchor === undefined ||
        !target.endsWith('.md') ||
        !isThere ||
        (await anchorsOf(target)).has(anchor)
      if (!isThere || !hasAnchor) broken.push(`${file}: ${link}`)
    }
  }
  assert.deepEqual(broken, [])
})
