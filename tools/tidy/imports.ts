import { posix } from 'node:path'
import {
  type Expression,
  isCallExpression,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isMetaProperty,
  isNamedImports,
  isNewExpression,
  isPropertyAccessExpression,
  isStringLiteral,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast'
import type { FileTree } from './file-tree.ts'
import type { ParsedFile } from './parsed-file.ts'
import { workspaceEntries } from './workspaces.ts'

/**
 * One file's use of another module.
 *
 * A value is loaded at run time, a type is erased. `import { type T }` is a value: the statement
 * stays when its names are erased, and loads the module. So is `new URL('./x.ts',
 * import.meta.url)`, by which workers are started.
 */
export type Import = {
  readonly from: string
  readonly line: number
  readonly kind: 'value' | 'type'
  readonly specifier: string
  /** The file in the tree, or null for a package and for what the tree does not have. */
  readonly target: string | null
  /** `zod`, `@fastify/swagger`, `node:fs`; null for a path. */
  readonly packageName: string | null
  /** Names imported one by one. */
  readonly names: readonly string[]
}

type Found = Pick<Import, 'kind' | 'specifier'> & { readonly names?: readonly string[] }

/** Every import of every file, with its target looked up in the tree. */
export function findImports(files: FileTree, code: readonly ParsedFile[]): readonly Import[] {
  const entries = workspaceEntries(files)
  return code.flatMap((file) =>
    file.nodes.flatMap((node): Import[] => {
      const found = importAt(node)
      if (found === null) return []
      const { specifier, kind, names = [] } = found
      const packageName = packageNameOf(specifier)
      const target =
        packageName === null
          ? resolvePath(files, file.path, specifier)
          : (entries.get(specifier) ?? null)
      const line = file.lineOf(node)
      return [{ from: file.path, line, kind, specifier, target, packageName, names }]
    }),
  )
}

function importAt(node: Node): Found | null {
  if (isImportDeclaration(node)) {
    const isType = node.importClause?.phaseModifier === SyntaxKind.TypeKeyword
    return found(node.moduleSpecifier, isType ? 'type' : 'value', importedNames(node))
  }
  if (isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    return found(node.moduleSpecifier, node.isTypeOnly ? 'type' : 'value')
  }
  if (isImportTypeNode(node) && isLiteralTypeNode(node.argument)) {
    return found(node.argument.literal, 'type')
  }
  if (isCallExpression(node) && isModuleLookup(node.expression)) {
    return found(node.arguments[0], 'value')
  }
  if (isNewExpression(node) && isIdentifier(node.expression) && node.expression.text === 'URL') {
    const [path, base] = node.arguments ?? []
    if (base !== undefined && isImportMetaUrl(base)) return found(path, 'value')
  }
  return null
}

function found(
  specifier: Node | undefined,
  kind: Import['kind'],
  names: readonly string[] = [],
): Found | null {
  if (specifier === undefined || !isStringLiteral(specifier)) return null
  return { specifier: specifier.text, kind, names }
}

function importedNames(node: Node): readonly string[] {
  const bindings = isImportDeclaration(node) ? node.importClause?.namedBindings : undefined
  if (bindings === undefined || !isNamedImports(bindings)) return []
  return bindings.elements.map((element) => (element.propertyName ?? element.name).text)
}

/** `import(…)` or `import.meta.resolve(…)`. */
function isModuleLookup(callee: Expression): boolean {
  if (callee.kind === SyntaxKind.ImportKeyword) return true
  return isPropertyAccessExpression(callee) && isMetaProperty(callee.expression)
}

function isImportMetaUrl(node: Node): boolean {
  return (
    isPropertyAccessExpression(node) && isMetaProperty(node.expression) && node.name.text === 'url'
  )
}

function packageNameOf(specifier: string): string | null {
  if (/^[./#]/.test(specifier) || specifier === '') return null
  if (specifier.startsWith('node:')) return specifier
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Bundled code may leave out the extension or ask for a file's text by `?raw`. */
function resolvePath(files: FileTree, from: string, specifier: string): string | null {
  const path = posix.join(posix.dirname(from), specifier.replace(/\?.*$/, ''))
  const candidates = [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`]
  return candidates.find((candidate) => files.has(candidate)) ?? null
}
