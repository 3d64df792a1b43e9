import type { FileTree } from './file-tree.ts'
import type { Import } from './imports.ts'
import type { ParsedFile } from './parsed-file.ts'

/** One broken rule at one place; `line` counts from 1. */
export type Problem = {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** Everything that a rule may look at. Rules read no disk, so that a test can plant a tree. */
export type Project = {
  readonly files: FileTree
  readonly code: readonly ParsedFile[]
  readonly imports: readonly Import[]
}

/** A house rule: its name in reports, and what breaks it. */
export type Rule = {
  readonly name: string
  readonly check: (project: Project) => Iterable<Problem>
}
