import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The guides by file name, such as `webhooks.md`; Markdown, as they are in the repository. */
export type Guides = ReadonlyMap<string, { readonly title: string; readonly text: string }>

/** Where they are: within the published package, or in the repository. */
const FOLDERS = ['../../guides', '../../../../../docs'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

/** Reads the guides; none when they were not installed. */
export function readGuides(): Guides {
  const folder = FOLDERS.find((path) => existsSync(path))
  if (folder === undefined) return new Map()
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'))
  return new Map(
    names.sort().map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return [name, { title: /^# (.+)$/m.exec(text)?.[1] ?? name, text }]
    }),
  )
}
