import type { Import } from './imports.ts'
import { isCode, isTest } from './places.ts'
import type { Problem, Project, Rule } from './rule.ts'
import { readManifests } from './workspaces.ts'

/** What the import graph as a whole must be: free of cycles, without dead files. */
export const graphRules: readonly Rule[] = [
  { name: 'no-cycles', check: findCycles },
  { name: 'no-dead-files', check: findDeadFiles },
]

/** Types count too: two files that need each other's types are one file in two places. */
function findCycles({ imports }: Project): readonly Problem[] {
  const problems: Problem[] = []
  const edges = edgesByFile(imports)
  const path: Import[] = []
  const done = new Set<string>()

  const visit = (file: string) => {
    for (const edge of edges.get(file) ?? []) {
      if (edge.target === null || done.has(edge.target)) continue
      path.push(edge)
      const start = path.findIndex(({ from }) => from === edge.target)
      if (start === -1) visit(edge.target)
      else problems.push(cycleProblem(path.slice(start)))
      path.pop()
    }
    done.add(file)
  }
  for (const file of edges.keys()) if (!done.has(file)) visit(file)
  return problems
}

function cycleProblem(cycle: readonly Import[]): Problem {
  const [first] = cycle
  if (first === undefined) throw new Error('A cycle has at least one import.')
  const way = cycle.map(({ target }) => target).join(' → ')
  return { file: first.from, line: first.line, text: `Imports itself by way of ${way}.` }
}

function findDeadFiles({ files, imports }: Project): readonly Problem[] {
  const started = startedFiles(files)
  const edges = edgesByFile(imports)
  const reached = new Set<string>()
  const queue = [...files.keys()].filter((path) => isEntry(path) || started.has(path))
  for (const file of queue) {
    if (reached.has(file)) continue
    reached.add(file)
    for (const { target } of edges.get(file) ?? []) if (target !== null) queue.push(target)
  }
  const text = 'No program, barrel, worker or test leads here.'
  return [...files.keys()]
    .filter((path) => needsReason(path) && !reached.has(path))
    .map((file) => ({ file, line: 1, text }))
}

function needsReason(path: string): boolean {
  return isCode(path) && !path.endsWith('.d.ts') && /^(packages|tools|bench|tests)\//.test(path)
}

/** Files that somebody starts by name. Those directly in tools/ and bench/ are programs. */
function isEntry(path: string): boolean {
  return (
    isTest(path) ||
    /^packages\/[^/]+\/src\/(main|index)\.tsx?$/.test(path) ||
    /^(tools|bench)\/[^/]+$/.test(path) ||
    /\.config\.[cm]?[jt]s$/.test(path)
  )
}

/** Files that a package.json names: bins, exports and what its scripts run. */
function startedFiles(files: Project['files']): ReadonlySet<string> {
  const named = readManifests(files).flatMap(({ bin, exports, text }) => [
    ...bin,
    ...exports.values(),
    ...(text.match(/[\w./-]+\.[cm]?[jt]s\b/g) ?? []),
  ])
  return new Set(named)
}

function edgesByFile(imports: readonly Import[]): ReadonlyMap<string, readonly Import[]> {
  return Map.groupBy(imports, ({ from }) => from)
}
