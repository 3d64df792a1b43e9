import {
  isExportDeclaration,
  isFunctionDeclaration,
  isIdentifier,
  isImportDeclaration,
  isNamedExports,
  isVariableStatement,
  type Node,
  type Statement,
  SyntaxKind,
} from 'typescript/unstable/ast'
import type { ParsedFile } from './parsed-file.ts'
import { isShipped } from './places.ts'
import type { Problem, Rule } from './rule.ts'

/** What a file offers to others: documented, and by one barrel a package. */
export const exportRules: readonly Rule[] = [
  { name: 'documented-exports', check: ({ code }) => code.flatMap(findUndocumented) },
  { name: 'one-barrel', check: ({ code }) => code.flatMap(findBarrels) },
]

function findUndocumented(file: ParsedFile): readonly Problem[] {
  if (!isShipped(file.path) || !/\.tsx?$/.test(file.path)) return []
  const exportedByName = new Set(file.source.statements.flatMap(listedNames))
  const documented = new Set<string>()
  return file.source.statements.flatMap((statement): Problem[] => {
    const names = declaredNames(statement)
    const isExported = hasExport(statement) || names.some((name) => exportedByName.has(name))
    if (!isExported || names.length === 0) return []
    // The first of several overloads speaks for them all.
    const isOverload = isFunctionDeclaration(statement) && documented.has(names[0] ?? '')
    if (isDocumented(statement)) for (const name of names) documented.add(name)
    if (isDocumented(statement) || isOverload) return []
    const text = `Say in one sentence above it what ${names.join(', ')} is.`
    return [{ file: file.path, line: file.lineOf(statement), text }]
  })
}

function isDocumented(statement: Statement): boolean {
  return (statement.jsDoc?.length ?? 0) > 0
}

/** Names in `export { a, b }`; a re-export is documented where it is declared. */
function listedNames(statement: Statement): readonly string[] {
  if (!isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) return []
  const { exportClause } = statement
  if (exportClause === undefined || !isNamedExports(exportClause)) return []
  return exportClause.elements.map(({ propertyName, name }) => (propertyName ?? name).text)
}

function declaredNames(statement: Statement): readonly string[] {
  if (isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText())
  }
  if (!('name' in statement)) return []
  const { name } = statement
  return isNode(name) && isIdentifier(name) ? [name.text] : []
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'kind' in value
}

function hasExport(statement: Statement): boolean {
  if (!('modifiers' in statement) || !Array.isArray(statement.modifiers)) return false
  return statement.modifiers.some((modifier) => modifier.kind === SyntaxKind.ExportKeyword)
}

/** A barrel is a file that only passes on what others declare. */
function findBarrels(file: ParsedFile): readonly Problem[] {
  const { path } = file
  if (/^packages\/[^/]+\/src\/index\.ts$/.test(path) || !/^(packages|tools|bench)\//.test(path)) {
    return []
  }
  const { statements } = file.source
  const passesOn = statements.filter(
    (statement) => isExportDeclaration(statement) && statement.moduleSpecifier !== undefined,
  )
  const others = statements.filter(
    (statement) => !isExportDeclaration(statement) && !isImportDeclaration(statement),
  )
  const isIndex = /\/index\.[cm]?[jt]sx?$/.test(path)
  if (!isIndex && (passesOn.length === 0 || others.length > 0)) return []
  return [{ file: path, line: 1, text: "A package's only barrel is its src/index.ts." }]
}
