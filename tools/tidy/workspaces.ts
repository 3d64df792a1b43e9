import { posix } from 'node:path'
import type { FileTree } from './file-tree.ts'

/** The parts of a package.json that the rules look at. */
export type Manifest = {
  readonly path: string
  readonly text: string
  readonly name: string
  readonly bin: readonly string[]
  /** Specifier (`@mayfly/client/playwright`) to file. */
  readonly exports: ReadonlyMap<string, string>
  readonly dependencies: ReadonlyMap<string, string>
  /** Dependencies of any kind but `peerDependencies`, whose ranges are for others to fill. */
  readonly pinned: ReadonlyMap<string, string>
  readonly peers: ReadonlyMap<string, string>
}

/** The manifests of the root and of every package. */
export function readManifests(files: FileTree): readonly Manifest[] {
  return [...files].flatMap(([path, text]) =>
    /^(packages\/[^/]+\/)?package\.json$/.test(path) ? [readManifest(path, text)] : [],
  )
}

/** Specifiers under which packages of this repository offer files to each other. */
export function workspaceEntries(files: FileTree): ReadonlyMap<string, string> {
  return new Map(readManifests(files).flatMap(({ exports }) => [...exports]))
}

function readManifest(path: string, text: string): Manifest {
  const json: unknown = JSON.parse(text)
  const section = (key: string) => strings(property(json, key))
  const name = String(property(json, 'name') ?? '')
  const folder = posix.dirname(path)
  const resolve = (file: string) => sourceOf(posix.join(folder, file))
  const bin = property(json, 'bin')
  const exported = property(json, 'exports')
  return {
    path,
    text,
    name,
    bin: (typeof bin === 'string' ? [bin] : [...section('bin').values()]).map(resolve),
    exports: new Map(
      Object.entries(typeof exported === 'string' ? { '.': exported } : (exported ?? {})).flatMap(
        ([key, value]) => leaves(value).map((file) => [posix.join(name, key), resolve(file)]),
      ),
    ),
    dependencies: section('dependencies'),
    pinned: new Map([
      ...section('dependencies'),
      ...section('devDependencies'),
      ...section('optionalDependencies'),
    ]),
    peers: section('peerDependencies'),
  }
}

/** What a package publishes from `dist` it keeps under the same name in `src`. */
function sourceOf(file: string): string {
  return file.includes('/dist/')
    ? file.replace('/dist/', '/src/').replace(/(\.d)?\.[jt]s$/, '.ts')
    : file
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}

function strings(value: unknown): ReadonlyMap<string, string> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return new Map(entries.map(([key, text]) => [key, String(text)]))
}

/** The file names in a conditional export. */
function leaves(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : []
}
