import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A block of code of a document. */
export type Example = {
  /** Where it begins: `docs/client.md:27`. */
  readonly place: string
  readonly language: string
  readonly code: string
  /** The comment directly above it, which readers of the rendered page do not see; or null. */
  readonly mark: string | null
}

const BLOCK =
  /(?:^ *<!-- (?<mark>.*?) -->\n+)?^(?<indent> *)```(?<language>\w+)\n(?<code>.*?)^ *```$/gms

/** The blocks of code of a document that name their language, in their order. */
export function readExamples(root: string, file: string): readonly Example[] {
  const text = readFileSync(join(root, file), 'utf8')
  return Array.from(text.matchAll(BLOCK), ({ index, groups = {} }) => {
    const { mark = null, indent = '', language = '', code = '' } = groups
    const line = text.slice(0, index).split('\n').length
    return {
      place: `${file}:${line}`,
      language,
      mark,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }
  })
}
