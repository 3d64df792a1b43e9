import { type FileTree, linesOf } from './file-tree.ts'
import { isCode, isSampleMail, isSource, isTest, isTestCode } from './places.ts'
import type { Problem, Project, Rule } from './rule.ts'

const COLUMNS_MAX = 100
const LINES_MAX = 300
const TEST_LINES_MAX = 500
const OPEN_END = /\b(TODO|FIXME|XXX)\b/

/** What is seen without understanding the code: sizes and names of files. */
export const textRules: readonly Rule[] = [
  { name: 'short-files', check: ({ files }) => findLongFiles(files) },
  { name: 'short-lines', check: ({ files }) => findLongLines(files) },
  { name: 'telling-names', check: ({ files }) => findDrawers(files) },
  { name: 'tests-that-run', check: findStrayTests },
  { name: 'no-open-ends', check: findOpenEnds },
]

function* findLongFiles(files: FileTree): Iterable<Problem> {
  for (const [file, text] of files) {
    const max = isTestCode(file) ? TEST_LINES_MAX : LINES_MAX
    const lines = linesOf(text).length
    if (!isSource(file) || isSampleMail(file) || lines <= max) continue
    yield { file, line: max + 1, text: `${lines} lines; at most ${max}.` }
  }
}

function* findLongLines(files: FileTree): Iterable<Problem> {
  for (const [file, text] of files) {
    if (!isSource(file) || isSampleMail(file)) continue
    for (const [index, line] of linesOf(text).entries()) {
      // Code points, as an editor counts them; the cheap length first.
      if (line.length <= COLUMNS_MAX || [...line].length <= COLUMNS_MAX) continue
      // A sentence for a person stays in one piece, so that it can be searched for.
      if (line.replace(/(['"`]).*\1/, '').length <= COLUMNS_MAX / 2) continue
      yield { file, line: index + 1, text: `${[...line].length} columns; at most ${COLUMNS_MAX}.` }
    }
  }
}

/** A drawer is a name that fits anything; `mime-types` says what it holds, `types` does not. */
function* findDrawers(files: FileTree): Iterable<Problem> {
  for (const file of files.keys()) {
    if (!isCode(file)) continue
    const drawer = file
      .split('/')
      .map((part) => part.replace(/\..*$/, ''))
      .find((part) => /^types$|(^|-)(utils?|helpers?|common|misc|manager)$/.test(part))
    if (drawer !== undefined)
      yield { file, line: 1, text: `'${drawer}' does not say what it holds.` }
  }
}

/** The places where `npm test` looks. */
function findStrayTests({ files }: Project): readonly Problem[] {
  const isFound = /^(tools\/[^/]+|packages\/[^/]+\/(src|test)\/.+|examples\/.+)\.test\.ts$/
  return [...files.keys()]
    .filter((path) => isTest(path) && !isFound.test(path))
    .map((file) => ({ file, line: 1, text: '`npm test` does not look here.' }))
}

/** In the comments of code, and anywhere in prose and settings. */
function* findOpenEnds({ files, code }: Project): Iterable<Problem> {
  const texts = [
    ...code.flatMap(({ path, comments }) =>
      comments.map(({ text, firstLine }) => ({ file: path, text, firstLine })),
    ),
    ...[...files]
      .filter(([file]) => !isCode(file) && !isSampleMail(file) && !file.endsWith('.json'))
      .map(([file, text]) => ({ file, text, firstLine: 1 })),
  ]
  for (const { file, text, firstLine } of texts) {
    for (const [index, line] of linesOf(text).entries()) {
      if (!OPEN_END.test(line)) continue
      yield { file, line: firstLine + index, text: 'Finish it, or write an issue.' }
    }
  }
}
