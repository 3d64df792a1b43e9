import { createVirtualFileSystem } from 'typescript/unstable/fs'
import { API } from 'typescript/unstable/sync'
import type { FileTree } from './file-tree.ts'
import { ParsedFile } from './parsed-file.ts'
import { isCode } from './places.ts'

/** Nothing but syntax is wanted: no library, no look at what an import leads to. */
const SYNTAX_ONLY = { allowJs: true, noLib: true, noResolve: true, types: [], jsx: 'preserve' }

/** TypeScript's own parser over trees in memory; one child process serves many trees. */
export class Parser implements Disposable {
  readonly #disk = createVirtualFileSystem({})
  readonly #api = new API({ cwd: '/', fs: this.#disk })
  readonly #parsed = new Map<string, ParsedFile>()
  #trees = 0

  /** The parsed code of a tree. What an earlier tree had in the same place is not parsed again. */
  parse(tree: FileTree): readonly ParsedFile[] {
    const wanted = [...tree].filter(([path]) => isCode(path))
    this.#parseNew(wanted.filter((file) => !this.#parsed.has(file.join('\0'))))
    return wanted.flatMap((file) => this.#parsed.get(file.join('\0')) ?? [])
  }

  #parseNew(files: readonly (readonly [path: string, text: string])[]): void {
    if (files.length === 0) return
    this.#trees += 1
    const root = `/${this.#trees}`
    const config = `${root}/tsconfig.json`
    const names = files.map(([path]) => `${root}/${path}`)
    this.#write(config, JSON.stringify({ compilerOptions: SYNTAX_ONLY, files: names }))
    for (const [path, text] of files) this.#write(`${root}/${path}`, text)

    const project = this.#api.updateSnapshot({ openProjects: [config] }).getProject(config)
    for (const [path, text] of files) {
      const source = project?.program.getSourceFile(`${root}/${path}`)
      if (source === undefined) throw new Error(`The parser did not read ${path}.`)
      this.#parsed.set(`${path}\0${text}`, new ParsedFile(path, source))
    }
  }

  #write(path: string, text: string): void {
    this.#disk.writeFile?.(path, text)
  }

  [Symbol.dispose](): void {
    this.#api.close()
  }
}
