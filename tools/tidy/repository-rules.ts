import { type FileTree, linesOf } from './file-tree.ts'
import type { Import } from './imports.ts'
import { isSampleMail, isShipped } from './places.ts'
import type { Problem, Project, Rule } from './rule.ts'
import { type Manifest, readManifests } from './workspaces.ts'

/** What holds for the repository as others get it. */
export const repositoryRules: readonly Rule[] = [
  {
    name: 'portable-lock-file',
    check: ({ files }) =>
      findLines(files, (file, line) =>
        file === 'package-lock.json' && /"resolved":\s*"https?:/.test(line)
          ? "It names one machine's registry: install with omit-lockfile-registry-resolved."
          : null,
      ),
  },
  {
    name: 'no-machine-paths',
    check: ({ files }) =>
      findLines(files, (_file, line) =>
        MACHINE_PATH.test(line) ? 'A path of one machine means nothing on another.' : null,
      ),
  },
  {
    name: 'no-registry-hosts',
    check: ({ files }) =>
      findLines(files, (_file, line) =>
        REGISTRY.test(line) ? 'Where packages come from is for each machine to say.' : null,
      ),
  },
  { name: 'exact-versions', check: ({ files }) => readManifests(files).flatMap(looseVersions) },
  { name: 'explained-dependencies', check: ({ files }) => unexplained(files) },
  { name: 'declared-dependencies', check: findUndeclared },
  { name: 'used-dependencies', check: findUnused },
]

/** Not after a letter or a dot: `example.com/home/` is an address, `src/work/` a folder. */
const MACHINE_PATH = /(?<![\w.~-])\/(home|root|work)\//

const REGISTRY = /\bregistry\.[a-z0-9-]+\.[a-z]|\bnpm\.pkg\.github\b|\.jfrog\.io\b|^\s*registry\s*=/

function* findLines(
  files: FileTree,
  judge: (file: string, line: string) => string | null,
): Iterable<Problem> {
  for (const [file, content] of files) {
    if (isSampleMail(file)) continue
    for (const [index, line] of linesOf(content).entries()) {
      const text = judge(file, line)
      if (text !== null) yield { file, line: index + 1, text }
    }
  }
}

function looseVersions(manifest: Manifest): readonly Problem[] {
  return [...manifest.pinned]
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version))
    .map(([name, version]) => ({
      file: manifest.path,
      line: lineNaming(manifest.text, name),
      text: `${name} ${version} may be another version tomorrow.`,
    }))
}

/** Runtime dependencies only: what a user of the program takes in. */
function unexplained(files: FileTree): readonly Problem[] {
  const architecture = files.get('ARCHITECTURE.md')
  if (architecture === undefined) return []
  return readManifests(files).flatMap(({ path, text, dependencies }) =>
    [...dependencies.keys()]
      .filter((name) => !name.startsWith('@mayfly/') && !names(architecture, name))
      .map((name) => ({
        file: path,
        line: lineNaming(text, name),
        text: `ARCHITECTURE.md does not say what ${name} is for.`,
      })),
  )
}

/** `pg` is not named by `pg-pool` or `@types/pg`. */
function names(text: string, dependency: string): boolean {
  return new RegExp(`(?<![\\w@/-])${RegExp.escape(dependency)}(?![\\w/-])`).test(text)
}

/** A package that only a neighbour declares works until the neighbour drops it. */
function findUndeclared({ files, imports }: Project): readonly Problem[] {
  return readManifests(files).flatMap((manifest) => {
    const declared = new Set([...manifest.dependencies.keys(), ...manifest.peers.keys()])
    return importsOf(manifest, imports).flatMap(({ from, line, kind, packageName }) => {
      if (packageName === null || packageName.startsWith('node:')) return []
      if (declared.has(packageName) || packageName === manifest.name) return []
      const isErased = kind === 'type' && manifest.pinned.has(packageName)
      const text = `${manifest.path} does not declare ${packageName}.`
      return isErased ? [] : [{ file: from, line, text }]
    })
  })
}

/** A package that imports none of its dependencies yet is a skeleton, and left alone. */
function findUnused({ files, imports }: Project): readonly Problem[] {
  return readManifests(files).flatMap((manifest) => {
    const used = new Set(importsOf(manifest, imports).map(({ packageName }) => packageName))
    const declared = [...manifest.dependencies.keys()]
    if (!declared.some((name) => used.has(name))) return []
    return declared
      .filter((name) => !used.has(name))
      .map((name) => ({
        file: manifest.path,
        line: lineNaming(manifest.text, name),
        text: `Nothing imports ${name}.`,
      }))
  })
}

function importsOf(manifest: Manifest, imports: readonly Import[]): readonly Import[] {
  const source = manifest.path.replace(/package\.json$/, 'src/')
  return imports.filter(({ from }) => from.startsWith(source) && isShipped(from))
}

function lineNaming(text: string, name: string): number {
  return linesOf(text).findIndex((line) => line.includes(`"${name}":`)) + 1
}
