import { hasOwnFile, listOwnFiles, readOwnFile } from '../../own-files.ts'

/** The guides by file name, such as `webhooks.md`; Markdown, as they are in the repository. */
export type Guides = ReadonlyMap<string, { readonly title: string; readonly text: string }>

/** Where they are: within the published package, or in the repository. */
const FOLDERS: readonly URL[] = [
  new URL('../../guides/', import.meta.url),
  new URL('../../../../../docs/', import.meta.url),
]

/** A file of the documentation. */
export function docsFile(name: string): URL {
  const files = FOLDERS.map((folder) => new URL(name, folder))
  const file = files.find(hasOwnFile)
  if (file === undefined) throw new Error(`${name} is not installed.`)
  return file
}

/** Reads the guides; none when they were not installed. */
export function readGuides(): Guides {
  const files = FOLDERS.map((folder) =>
    listOwnFiles(folder)
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => [name, readOwnFile(new URL(name, folder)).toString()] as const),
  )
  const found = files.find((guides) => guides.length > 0) ?? []
  return new Map(
    found.map(([name, text]) => [name, { title: /^# (.+)$/m.exec(text)?.[1] ?? name, text }]),
  )
}
