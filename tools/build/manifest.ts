/** The fields of the client's package.json in the repository that are read here. */
type ClientManifest = {
  readonly exports: Readonly<Record<string, string>>
  readonly sideEffects: readonly string[]
  /** Fields of the published package alone. Optional peers among them would be installed here. */
  readonly publishConfig: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

/** Fields that are the same in the repository. */
const SHARED = ['name', 'version', 'description', 'license', 'type', 'bin']

/** The folder of `dist` with the CommonJS modules. */
export const COMMONJS_FOLDER = 'cjs'

const COMMONJS = `dist/${COMMONJS_FOLDER}`

/**
 * The package.json of the client as it is published.
 *
 * In the repository `exports` names TypeScript in `src`, which Node runs directly. Node does not
 * strip types under node_modules, so the published package has JavaScript in `dist` beside its
 * types.
 */
export function clientManifest(source: ClientManifest): object {
  const { exports, sideEffects } = source
  return {
    ...shared(source),
    ...source.publishConfig,
    engines: { node: '>=20.3' },
    files: ['dist'],
    exports: mapped(exports, (file) => ({
      import: entryOf(file, 'dist'),
      require: entryOf(file, COMMONJS),
    })),
    ...oldResolution(exports),
    sideEffects: sideEffects.flatMap((file) =>
      ['dist', COMMONJS].map((folder) => built(file, folder, '.js')),
    ),
  }
}

/** The package.json of the program as it is published: without dependencies, which are in it. */
export function programManifest(source: Readonly<Record<string, unknown>>): object {
  const entry = entryOf('./src/start.ts', 'dist')
  return {
    ...shared(source),
    // Only the commands that load the server need its Node.
    engines: { node: '>=20.3' },
    files: ['bin', 'dist', 'LICENSES.txt'],
    types: entry.types,
    exports: { '.': entry },
  }
}

function shared(source: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(source).filter(([field]) => SHARED.includes(field)))
}

function entryOf(file: string, folder: string) {
  // `types` first: conditions are tried in order.
  return { types: built(file, folder, '.d.ts'), default: built(file, folder, '.js') }
}

/** For tools that do not read `exports`, such as TypeScript with `moduleResolution: node`. */
function oldResolution({ '.': main = '', ...others }: Readonly<Record<string, string>>) {
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
