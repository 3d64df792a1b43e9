import {
  type Expression,
  isAsExpression,
  isCallExpression,
  isConstructorDeclaration,
  isExportAssignment,
  isExportSpecifier,
  isFunctionDeclaration,
  isFunctionLikeDeclaration,
  isIdentifier,
  isMethodDeclaration,
  isPropertyAccessExpression,
  isStatement,
  isTypeAssertion,
  isTypeReferenceNode,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast'
import type { ParsedFile } from './parsed-file.ts'
import { isTest } from './places.ts'
import type { Problem, Rule } from './rule.ts'

const FUNCTION_LINES_MAX = 60
const PARAMETERS_MAX = 3

/** How code is written, file by file. */
export const codeRules: readonly Rule[] = [
  rule('short-functions', findLongFunctions),
  rule('few-parameters', findManyParameters),
  rule('reasons-for-as', findBareAssertions),
  rule('no-default-export', findDefaultExports),
  rule('hash-private', findPrivateKeywords),
  rule('no-console', findConsole),
  rule('no-skipped-tests', findSkippedTests),
]

/** A suite's body is a list of tests, not a function that somebody follows from top to bottom. */
function* findLongFunctions(file: ParsedFile): Iterable<Problem> {
  for (const node of file.all(isFunctionLikeDeclaration)) {
    const lines = file.lastLineOf(node) - file.lineOf(node) + 1
    if (lines <= FUNCTION_LINES_MAX || isSuiteBody(node)) continue
    yield problem(file, node, `A function of ${lines} lines; at most ${FUNCTION_LINES_MAX}.`)
  }
}

function isSuiteBody(node: Node): boolean {
  const call = node.parent
  return isCallExpression(call) && /^(describe|suite|onEach)/.test(rootName(call.expression))
}

/** Callbacks are left out: whoever calls them decides what they are given. */
function* findManyParameters(file: ParsedFile): Iterable<Problem> {
  for (const node of file.all(isFunctionLikeDeclaration)) {
    const isOurs =
      isFunctionDeclaration(node) || isMethodDeclaration(node) || isConstructorDeclaration(node)
    const { length } = node.parameters
    if (!isOurs || length <= PARAMETERS_MAX) continue
    yield problem(
      file,
      node,
      `${length} parameters; past ${PARAMETERS_MAX} take an options object.`,
    )
  }
}

/** A comment on the lines of the assertion or the line above it or above its statement. */
function* findBareAssertions(file: ParsedFile): Iterable<Problem> {
  const commented = new Set<number>()
  for (const { firstLine, lastLine } of file.comments) {
    for (let line = firstLine; line <= lastLine; line += 1) commented.add(line)
  }
  const assertions = [...file.all(isAsExpression), ...file.all(isTypeAssertion)]
  for (const node of assertions) {
    if (isConst(node.type) || isAsExpression(node.parent)) continue
    const lines = [file.lineOf(statementOf(node)) - 1]
    for (let at = file.lineOf(node) - 1; at <= file.lastLineOf(node); at += 1) lines.push(at)
    if (lines.some((line) => commented.has(line))) continue
    yield problem(file, node, 'A type assertion needs its reason in a comment beside it.')
  }
}

function isConst(type: Node): boolean {
  return isTypeReferenceNode(type) && isIdentifier(type.typeName) && type.typeName.text === 'const'
}

function statementOf(node: Node): Node {
  let at = node
  while (!isStatement(at) && at.parent !== undefined) at = at.parent
  return at
}

/** Configuration files are left out: the tools that read them want a default export. */
function* findDefaultExports(file: ParsedFile): Iterable<Problem> {
  if (/\.config\.[cm]?[jt]s$/.test(file.path)) return
  for (const node of file.nodes) {
    const isDefault =
      isExportAssignment(node) ||
      node.kind === SyntaxKind.DefaultKeyword ||
      (isExportSpecifier(node) && node.name.text === 'default')
    const isCase = node.parent?.kind === SyntaxKind.DefaultClause
    if (isDefault && !isCase) yield problem(file, node, 'Export it by its name.')
  }
}

function* findPrivateKeywords(file: ParsedFile): Iterable<Problem> {
  for (const node of file.nodes) {
    if (node.kind === SyntaxKind.PrivateKeyword || node.kind === SyntaxKind.ProtectedKeyword) {
      yield problem(file, node, 'Private members are written #name.')
    }
  }
}

function* findConsole(file: ParsedFile): Iterable<Problem> {
  if (/^(packages\/cli|tools|bench|examples)\//.test(file.path)) return
  for (const node of file.all(isPropertyAccessExpression)) {
    if (isIdentifier(node.expression) && node.expression.text === 'console') {
      yield problem(file, node, 'Only the CLI and the tools write to the console.')
    }
  }
}

function* findSkippedTests(file: ParsedFile): Iterable<Problem> {
  if (!isTest(file.path)) return
  for (const { expression } of file.all(isCallExpression)) {
    if (!isPropertyAccessExpression(expression)) continue
    const isTestCall = /^(it|test|t|context|describe\w*|suite\w*)$/.test(rootName(expression))
    if (isTestCall && /^(only|skip|todo)$/.test(expression.name.text)) {
      yield problem(file, expression, 'A test that does not run tells nothing.')
    }
  }
}

/** `it` of `it.each(…).skip`. */
function rootName(expression: Expression): string {
  if (isIdentifier(expression)) return expression.text
  const inner =
    isPropertyAccessExpression(expression) || isCallExpression(expression)
      ? expression.expression
      : null
  return inner === null ? '' : rootName(inner)
}

function rule(name: string, find: (file: ParsedFile) => Iterable<Problem>): Rule {
  return { name, check: ({ code }) => code.flatMap((file) => [...find(file)]) }
}

function problem(file: ParsedFile, node: Node, text: string): Problem {
  return { file: file.path, line: file.lineOf(node), text }
}
