// Prints what breaks the house rules that no other tool knows; the others are Biome's,
// dependency-cruiser's and knip's (CONTRIBUTING.md).
//
//   node tools/tidy.ts [root]

import { execFileSync, spawnSync } from 'node:child_process'
import { lstatSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Problem = {
  readonly rule: string
  readonly file: string
  readonly line: number
  readonly hint?: string
}
type Files = ReadonlyMap<string, readonly string[]>

const SHIPPED = /^packages\/[^/]+\/src\/(?!.*\.test\.ts$).*\.tsx?$/
const SAMPLE_MAIL = /\.eml$|\/test\/mail\/|\/test\/codes\/.*\.jsonl$/
const EXPORT =
  /^export (?:abstract |async |declare )*(?:class|const|function\*?|interface|let|type) (\w+)/

/** Rules that one line breaks by itself, in the files whose paths match. */
const LINE_RULES: readonly {
  readonly rule: string
  readonly files: RegExp
  readonly pattern: RegExp
}[] = [
  {
    rule: 'portable-lock-file',
    files: /^package-lock\.json$/,
    pattern: /"resolved":\s*"https?:/,
  },
  {
    // Not after a letter or a dot: `example.com/home/` is an address, `src/work/` a folder.
    rule: 'no-machine-paths',
    files: /./,
    pattern: /(?<![\w.~-])\/(home|root|work)\//,
  },
  {
    rule: 'no-registry-hosts',
    files: /./,
    pattern: /\bregistry\.[a-z0-9-]+\.[a-z]|\bnpm\.pkg\.github\b|\.jfrog\.io\b|^\s*registry\s*=/,
  },
  {
    rule: 'no-open-ends',
    files: /(?<!\.json)$/,
    pattern: /\b(TO[D]O|FIX[M]E|XX[X])\b/,
  },
  {
    // Biome breaks code at 100 columns, and leaves comments as they are.
    rule: 'short-lines',
    files: /\.([cm]?[jt]sx?|css|sh)$/,
    pattern: /^(?=.{101})\s*(\/\/|\/?\*|#)/u,
  },
]

/** Words in senses of our own, and the established terms. In comments and names of shipped code. */
const PRIVATE_WORDS: readonly (readonly [words: RegExp, terms: string])[] = [
  [/\b([uU]n)?told(\b|[A-Z])/, 'notified, sent, reported'],
  [/\btells?(\b|[A-Z])/, 'notify, report, show, distinguish'],
  [
    /\blook(s|ed)? (again|at (the|an?|its|these) (inbox|mail|message|store))/i,
    'query, read, check',
  ],
  [/\b(a|each|first|next|another) look\b(?!-)|\blooked[A-Z]/, 'query, poll'],
  [/\bwish(es)?\b/i, 'request, option'],
  [/\b(nobody|somebody|whoever)\b/i, 'the caller, the client, another transaction'],
  [/\b(its|their|takes?|in) turns?\b/i, 'alternate, queue, rotation'],
  [/\b(is|are|was|were) left\b(?! out)/, 'remain'],
  [/\bheld (call|slot|stream|wait)s?\b/i, 'open, taken'],
  [/\bgo(es)? on\b/i, 'continue'],
  [/\banew\b/i, 'again'],
  [/\bwant of\b/i, 'without'],
  [/(\/\*\*|\/\/) What (is|was|are|were|an?|the|it|this)\b/, 'a noun: "The options of …"'],
]

const COMMENT = /^\s*(\*|\/\/|\/\*)/
const QUOTED = /'(?:[^'\\]|\\.)*'|"[^"]*"|`[^`]*`/g

const root = process.argv[2] ?? dirname(import.meta.dirname)
const files = readFiles(root)
const problems = [
  ...brokenLines(files),
  ...privateWords(files),
  ...undocumentedExports(files),
  ...bareAssertions(files),
  ...dependencyProblems(files),
]
for (const { rule, file, line, hint } of problems) {
  console.log(`${file}:${line}  ${rule}${hint === undefined ? '' : `: ${hint}`}`)
}
if (problems.length > 0) process.exitCode = 1

/** The text files that git tracks or would track. */
function readFiles(root: string): Files {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const files = new Map<string, readonly string[]>()
  for (const path of listed.split('\0')) {
    if (path === '' || SAMPLE_MAIL.test(path)) continue
    if (!lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile()) continue
    const bytes = readFileSync(join(root, path))
    if (!bytes.includes(0)) files.set(path, bytes.toString('utf8').split('\n'))
  }
  return files
}

function* brokenLines(files: Files): Iterable<Problem> {
  for (const [file, lines] of files) {
    const rules = LINE_RULES.filter((rule) => rule.files.test(file))
    for (const [index, line] of lines.entries()) {
      for (const { rule, pattern } of rules) {
        if (pattern.test(line)) yield { rule, file, line: index + 1 }
      }
    }
  }
}

/** Plain words in comments and names; texts may quote anything. */
function* privateWords(files: Files): Iterable<Problem> {
  for (const [file, lines] of files) {
    if (!SHIPPED.test(file) || /^packages\/mail\/|\/testing-/.test(file)) continue
    for (const [index, line] of lines.entries()) {
      const text = COMMENT.test(line) ? line : line.replace(QUOTED, '')
      for (const [words, terms] of PRIVATE_WORDS) {
        const found = words.exec(text)?.[0]
        if (found === undefined) continue
        yield { rule: 'plain-words', file, line: index + 1, hint: `"${found}": ${terms}` }
      }
    }
  }
}

/**
 * A sentence above each export of shipped code; the first of several overloads speaks for all. What
 * a feature needs is named after it (`…Deps`), and needs none.
 */
function* undocumentedExports(files: Files): Iterable<Problem> {
  for (const [file, lines] of files) {
    if (!SHIPPED.test(file)) continue
    const documented = new Set<string>()
    for (const [index, line] of lines.entries()) {
      const name = EXPORT.exec(line)?.[1]
      if (name === undefined || name.endsWith('Deps')) continue
      if (lines[index - 1]?.endsWith('*/')) documented.add(name)
      if (!documented.has(name)) yield { rule: 'documented-exports', file, line: index + 1 }
    }
  }
}

/** A type assertion has its reason in a comment on its lines, above them or the statement. */
function* bareAssertions(files: Files): Iterable<Problem> {
  for (const { path: file, start, end } of assertions()) {
    const lines = files.get(file) ?? []
    const first = openingLine(lines, start.line)
    const near = [lines[first - 2], ...lines.slice(start.line - 2, end.line)]
    if (near.some((line) => /\/\/(?<!:\/\/)|\/\*|\*\/|^\s*\* /.test(line ?? ''))) continue
    yield { rule: 'reasons-for-as', file, line: start.line }
  }
}

type Location = {
  readonly path: string
  readonly start: { readonly line: number }
  readonly end: { readonly line: number }
}

/** Biome finds the assertions: its rule refuses them all, and is not in biome.json. */
function assertions(): readonly Location[] {
  const biome = join(dirname(import.meta.dirname), 'node_modules', '.bin', 'biome')
  const rule = '--only=nursery/noUnsafeTypeAssertion'
  const options = ['--reporter=json', '--colors=off', '--max-diagnostics=none', '.']
  const { stdout } = spawnSync(biome, ['lint', rule, ...options], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  // The form of Biome's report; a field that is missing fails the run below.
  const report = JSON.parse(stdout) as { readonly diagnostics: readonly { location: Location }[] }
  return report.diagnostics.map(({ location }) => location)
}

/** For `} as Inbox` the line on which the bracket opens: the last one above as far to the left. */
function openingLine(lines: readonly string[], line: number): number {
  const indent = /^\s*(?=[)\]}])/.exec(lines[line - 1] ?? '')?.[0].length
  if (indent === undefined) return line
  return lines.slice(0, line - 1).findLastIndex((text) => text.search(/\S/) === indent) + 1
}

/** Versions are exact, but for peers; ARCHITECTURE.md says what each runtime dependency is for. */
function* dependencyProblems(files: Files): Iterable<Problem> {
  const architecture = files.get('ARCHITECTURE.md')?.join('\n') ?? ''
  for (const [file, lines] of files) {
    if (!/^(packages\/[^/]+\/)?package\.json$/.test(file)) continue
    const manifest: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
      lines.join('\n'),
    )
    const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = manifest
    const lineOf = (name: string) => lines.findIndex((line) => line.includes(`"${name}":`)) + 1
    const versions = { ...dependencies, ...devDependencies, ...optionalDependencies }
    for (const [name, version] of Object.entries(versions)) {
      if (/^(npm:(@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)) continue
      yield { rule: 'exact-versions', file, line: lineOf(name) }
    }
    for (const name of Object.keys(dependencies)) {
      // `pg` is not named by `pg-pool` or `@types/pg`.
      const named = new RegExp(`(?<![\\w@/-])${RegExp.escape(name)}(?![\\w/-])`)
      if (name.startsWith('@mayfly/') || named.test(architecture)) continue
      yield { rule: 'explained-dependencies', file, line: lineOf(name) }
    }
  }
}
