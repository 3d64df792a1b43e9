import { hasOwnFile, listOwnFiles, readBundledFile } from '../../bundled-files.ts'

/** The guides by file name, such as `webhooks.md`; Markdown, as they are in the repository. */
export type Guides = ReadonlyMap<string, { readonly title: string; readonly text: string }>

/** Where they are. */
const FOLDER = new URL('../../../../../docs/', import.meta.url)

/** A file of the documentation. */
export function docsFile(name: string): URL {
  const file = new URL(name, FOLDER)
  if (!hasOwnFile(file)) throw new Error(`${name} is not installed.`)
  return file
}

/** Reads the guides; none when they were not installed. */
export function readGuides(): Guides {
  const names = listOwnFiles(FOLDER).filter((name) => name.endsWith('.md'))
  return new Map(
    names.sort().map((name) => {
      const text = readBundledFile(new URL(name, FOLDER)).toString()
      return [name, { title: /^# (.+)$/m.exec(text)?.[1] ?? name, text }]
    }),
  )
}
