/** The fields of a package.json in the repository that are read here. */
export type SourceManifest = {
  readonly name: string
  readonly exports?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly sideEffects?: readonly string[]
  /** Fields of the published package alone. Optional peers among them would be installed here. */
  readonly publishConfig?: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

/** Fields that are used only in the repository. */
const REPOSITORY_ONLY: ReadonlySet<string> = new Set([
  'private',
  'devDependencies',
  'scripts',
  'publishConfig',
])

/**
 * The package.json that is published.
 *
 * In the repository `exports` names TypeScript in `src`, which Node runs directly. Node does not
 * strip types under node_modules, so a published package has JavaScript in `dist` beside its types.
 * `bin` names plain JavaScript in both.
 */
export function publishedManifest(source: SourceManifest, node: string): Record<string, unknown> {
  const kept = Object.entries(source).filter(([field]) => !REPOSITORY_ONLY.has(field))
  const { exports, sideEffects } = source
  return {
    ...Object.fromEntries(kept),
    ...source.publishConfig,
    engines: { node },
    files: ['dist', ...(source.bin === undefined ? [] : ['bin'])],
    ...(exports === undefined ? {} : { exports: mapped(exports, entryOf) }),
    ...(sideEffects === undefined
      ? {}
      : { sideEffects: sideEffects.map((file) => built(file, '.js')) }),
  }
}

function entryOf(file: string) {
  // `types` first: conditions are tried in order.
  return { types: built(file, '.d.ts'), default: built(file, '.js') }
}

function built(file: string, extension: string): string {
  return file.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, extension)
}

function mapped<Value>(entries: Readonly<Record<string, string>>, map: (file: string) => Value) {
  return Object.fromEntries(Object.entries(entries).map(([key, file]) => [key, map(file)]))
}
