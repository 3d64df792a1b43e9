/** The fields of a package.json in the repository that are read here. */
export type SourceManifest = {
  readonly name: string
  readonly exports?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly sideEffects?: false | readonly string[]
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

/** The folder of `dist` with the CommonJS modules. */
export const COMMONJS_FOLDER = 'cjs'

/**
 * The package.json that is published.
 *
 * In the repository `exports` names TypeScript in `src`, which Node runs directly. Node does not
 * strip types under node_modules, so a published package has JavaScript in `dist` beside its types.
 * `bin` names plain JavaScript in both.
 */
export function publishedManifest(
  source: SourceManifest,
  { node, isDual }: { readonly node: string; readonly isDual: boolean },
): Record<string, unknown> {
  const kept = Object.entries(source).filter(([field]) => !REPOSITORY_ONLY.has(field))
  const { exports, sideEffects } = source
  return {
    ...Object.fromEntries(kept),
    ...source.publishConfig,
    engines: { node },
    files: ['dist', ...(source.bin === undefined ? [] : ['bin'])],
    ...(exports === undefined
      ? {}
      : { exports: mapped(exports, isDual ? dualEntryOf : (file) => entryOf(file, 'dist')) }),
    ...(exports === undefined || !isDual ? {} : oldResolution(exports)),
    ...(sideEffects === undefined || sideEffects === false
      ? {}
      : {
          sideEffects: sideEffects.flatMap((file) =>
            foldersOf(isDual).map((folder) => built(file, folder, '.js')),
          ),
        }),
  }
}

const COMMONJS = `dist/${COMMONJS_FOLDER}`

function foldersOf(isDual: boolean): readonly string[] {
  return isDual ? ['dist', COMMONJS] : ['dist']
}

function dualEntryOf(file: string) {
  return { import: entryOf(file, 'dist'), require: entryOf(file, COMMONJS) }
}

function entryOf(file: string, folder: string) {
  // `types` first: conditions are tried in order.
  return { types: built(file, folder, '.d.ts'), default: built(file, folder, '.js') }
}

/** For tools that do not read `exports`, such as TypeScript with `moduleResolution: node`. */
function oldResolution(exports: Readonly<Record<string, string>>) {
  const { '.': main, ...others } = exports
  if (main === undefined) return {}
  const subpaths = Object.entries(others).map(([path, file]) => [
    path.replace(/^\.\//, ''),
    [built(file, COMMONJS, '.d.ts')],
  ])
  return {
    main: built(main, COMMONJS, '.js'),
    types: built(main, COMMONJS, '.d.ts'),
    typesVersions: { '*': Object.fromEntries(subpaths) },
  }
}

function built(file: string, folder: string, extension: string): string {
  return file.replace(/^\.\/src\//, `./${folder}/`).replace(/\.ts$/, extension)
}

function mapped(entries: Readonly<Record<string, string>>, map: (file: string) => unknown) {
  return Object.fromEntries(Object.entries(entries).map(([key, file]) => [key, map(file)]))
}
