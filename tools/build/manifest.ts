/** A package.json as it stands in the repository, as far as it is read here. */
export type SourceManifest = {
  readonly name: string
  readonly exports?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly sideEffects?: readonly string[]
  readonly [field: string]: unknown
}

/** Fields that mean something in the repository alone. */
const OURS_ALONE: ReadonlySet<string> = new Set(['private', 'devDependencies', 'scripts'])

/**
 * The package.json that is published.
 *
 * In the repository the entries name TypeScript in `src`, which Node runs as it is; types cannot be
 * stripped under node_modules, so a published package has JavaScript in `dist` beside its types.
 */
export function publishedManifest(source: SourceManifest, node: string): Record<string, unknown> {
  const kept = Object.entries(source).filter(([field]) => !OURS_ALONE.has(field))
  const { exports, bin, sideEffects } = source
  return {
    ...Object.fromEntries(kept),
    engines: { node },
    files: ['dist'],
    ...(exports === undefined ? {} : { exports: mapped(exports, entryOf) }),
    ...(bin === undefined ? {} : { bin: mapped(bin, (file) => built(file, '.js')) }),
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
