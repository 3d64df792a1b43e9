import {
  isBindingElement,
  isCallExpression,
  isIdentifier,
  isImportSpecifier,
  isNewExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isVariableDeclaration,
  type Node,
} from 'typescript/unstable/ast'
import type { ParsedFile } from './parsed-file.ts'
import { isShipped, isTestCode } from './places.ts'
import type { Problem, Project, Rule } from './rule.ts'

/** What a program takes from its surroundings: settings, time, chance, the network. */
export const ambientRules: readonly Rule[] = [
  {
    name: 'environment-in-config',
    check: inFiles(isWithoutEnvironment, function* (file) {
      for (const { node, name } of globalReads(file)) {
        if (name === 'process.env') yield problem(file, node, 'Only config.ts reads process.env.')
      }
    }),
  },
  {
    name: 'time-in-platform',
    check: inFiles(isDeterministic, function* (file) {
      for (const { node, name } of globalReads(file)) {
        if (TIME.test(name)) yield problem(file, node, `${name} belongs in platform/.`)
      }
      yield* newDates(file)
    }),
  },
  {
    name: 'chance-in-platform',
    check: (project) => [
      ...inFiles(isDeterministic, findRandomReads)(project),
      ...randomImports(project),
    ],
  },
  { name: 'no-global-fetch', check: inFiles(mayNotConnect, findFetches) },
]

const TIME = /^((Date|performance)\.now|process\.(hrtime|uptime))$/

const CHANCE = /^(Math\.random|(web)?crypto\.(random\w+|getRandomValues))$/

/** Functions of node:crypto that return something else at each call. */
const RANDOM = /^(random\w+|getRandomValues|generateKey(Pair)?(Sync)?|webcrypto)$/

/** Outbound connections without an import. */
const CONNECTING: ReadonlySet<string> = new Set([
  'fetch',
  'EventSource',
  'WebSocket',
  'XMLHttpRequest',
])

function isWithoutEnvironment(path: string): boolean {
  // The way in tells its threads where compiled code is kept, which Node takes from there alone.
  if (/^packages\/server\/src\/(config|main)\.ts$/.test(path)) return false
  // The SDK has the same need at its user's side, and the same single place for it.
  if (path === 'packages/client/src/environment.ts') return false
  return isShipped(path) && !path.startsWith('packages/cli/src/main.')
}

/** The SDK, the CLI and the dashboard run at their user's side and have no platform/. */
function isDeterministic(path: string): boolean {
  return (
    /^packages\/(server|contract)\/src\//.test(path) &&
    !isTestCode(path) &&
    !path.startsWith('packages/server/src/platform/')
  )
}

/** The server is TypeScript; JavaScript among it is for the browser, which has its own rules. */
function mayNotConnect(path: string): boolean {
  return (
    path.startsWith('packages/server/src/') &&
    isShipped(path) &&
    !path.startsWith('packages/server/src/platform/outbound-http') &&
    !path.endsWith('.js')
  )
}

/** `a.b` where `a` is a global or `globalThis.a`, in the form `a.b`. */
function* globalReads(file: ParsedFile): Iterable<{ node: Node; name: string }> {
  for (const node of file.all(isPropertyAccessExpression)) {
    const owner = node.expression
    const isGlobal =
      isIdentifier(owner) ||
      (isPropertyAccessExpression(owner) &&
        isIdentifier(owner.expression) &&
        owner.expression.text === 'globalThis')
    if (!isGlobal) continue
    const ownerName = isIdentifier(owner) ? owner.text : owner.name.text
    yield { node, name: `${ownerName}.${node.name.text}` }
  }
  // const { env } = process
  for (const node of file.all(isBindingElement)) {
    const source = node.parent.parent
    if (!isVariableDeclaration(source)) continue
    const { initializer } = source
    if (initializer === undefined || !isIdentifier(initializer)) continue
    const name = (node.propertyName ?? node.name)?.getText(file.source)
    yield { node, name: `${initializer.text}.${name}` }
  }
}

function* newDates(file: ParsedFile): Iterable<Problem> {
  for (const node of [...file.all(isNewExpression), ...file.all(isCallExpression)]) {
    const isDate = isIdentifier(node.expression) && node.expression.text === 'Date'
    const isNow = isCallExpression(node) || (node.arguments?.length ?? 0) === 0
    if (isDate && isNow) yield problem(file, node, 'The time of day belongs in platform/.')
  }
}

function* findRandomReads(file: ParsedFile): Iterable<Problem> {
  for (const { node, name } of globalReads(file)) {
    if (CHANCE.test(name)) yield problem(file, node, `${name} belongs in platform/.`)
  }
}

function randomImports({ imports }: Project): readonly Problem[] {
  return imports.flatMap(({ from, line, kind, packageName, names }) => {
    if (packageName !== 'node:crypto' || kind === 'type' || !isDeterministic(from)) return []
    const random = names.filter((name) => RANDOM.test(name))
    if (random.length === 0) return []
    return [{ file: from, line, text: `${random.join(', ')} belongs in platform/.` }]
  })
}

function* findFetches(file: ParsedFile): Iterable<Problem> {
  const own = new Set(
    file.nodes
      .filter((node) => isImportSpecifier(node) || isParameterDeclaration(node))
      .map(({ name }) => name.getText(file.source)),
  )
  for (const node of [...file.all(isCallExpression), ...file.all(isNewExpression)]) {
    const name = isIdentifier(node.expression) ? node.expression.text : ''
    if (CONNECTING.has(name) && !own.has(name)) {
      yield problem(file, node, `${name} connects: only platform/outbound-http may.`)
    }
  }
  for (const { node, name } of globalReads(file)) {
    if (name === 'globalThis.fetch') {
      yield problem(file, node, 'fetch connects: only platform/outbound-http may.')
    }
  }
}

function inFiles(
  isConcerned: (path: string) => boolean,
  find: (file: ParsedFile) => Iterable<Problem>,
): Rule['check'] {
  return ({ code }) =>
    code.filter(({ path }) => isConcerned(path)).flatMap((file) => [...find(file)])
}

function problem(file: ParsedFile, node: Node, text: string): Problem {
  return { file: file.path, line: file.lineOf(node), text }
}
