import { ambientRules } from './ambient-rules.ts'
import { codeRules } from './code-rules.ts'
import { exportRules } from './export-rules.ts'
import type { FileTree } from './file-tree.ts'
import { graphRules } from './graph-rules.ts'
import { importRules } from './import-rules.ts'
import { findImports } from './imports.ts'
import type { Parser } from './parser.ts'
import { repositoryRules } from './repository-rules.ts'
import type { Problem, Rule } from './rule.ts'
import { textRules } from './text-rules.ts'

/** Every house rule. */
export const RULES: readonly Rule[] = [
  ...graphRules,
  ...importRules,
  ...ambientRules,
  ...codeRules,
  ...exportRules,
  ...textRules,
  ...repositoryRules,
]

/** A problem and the rule that it breaks. */
export type Finding = Problem & { readonly rule: string }

/** What in a tree breaks the house rules. */
export function checkTree(files: FileTree, parser: Parser): readonly Finding[] {
  const code = parser.parse(files)
  const project = { files, code, imports: findImports(files, code) }
  return RULES.flatMap(({ name, check }) =>
    [...check(project)].map((problem) => ({ ...problem, rule: name })),
  )
}

/** One line for a terminal or a failed test. */
export function formatFinding({ file, line, rule, text }: Finding): string {
  return `${file}:${line}  ${rule}  ${text}`
}
