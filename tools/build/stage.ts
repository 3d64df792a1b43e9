import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { licensesOf } from './binary/licenses.ts'
import { bundleCommands } from './command-bundle.ts'
import { COMMONJS_FOLDER, clientManifest, programManifest } from './manifest.ts'
import { filesBelow, stageFiles } from './program-files.ts'
import { bundleServer } from './server-bundle.ts'
import { sourceCommit } from './source-commit.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const CLI = join(ROOT, 'packages', 'cli')

/** What is published, and how each package is laid out in a folder. */
const STAGES = {
  client: stageClient,
  mayfly: stageProgram,
} as const satisfies Record<string, (stage: string) => Promise<void>>

/** A package that is published, by its folder below dist/. */
export type Published = keyof typeof STAGES

/** Everything that is published. */
export const PUBLISHED: readonly Published[] = ['client', 'mayfly']

/** Lays packages out as they are published, one folder each below `to`. */
export async function stagePackages(to: string, folders: readonly Published[]): Promise<void> {
  for (const folder of folders) {
    const stage = join(to, folder)
    await rm(stage, { recursive: true, force: true })
    await mkdir(join(stage, 'dist'), { recursive: true })
    await STAGES[folder](stage)
    await cp(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'))
    const source = join(ROOT, 'packages', folder === 'mayfly' ? 'cli' : folder)
    await cp(join(source, 'README.md'), join(stage, 'README.md'))
  }
}

/** JavaScript and declarations, file by file, for `import` and for `require`. */
async function stageClient(stage: string): Promise<void> {
  const source = join(ROOT, 'packages', 'client')
  const outDir = join(stage, 'dist')
  // Browsers of the last two years, Bun and Deno run it too.
  const settings = { outDir, target: 'es2022' }
  await compile(source, { ...settings, declaration: true, emitDeclarationOnly: true })
  // It goes over the wire to browsers: comments are left to the types.
  await compile(source, { ...settings, removeComments: true })
  await nameBuiltFiles(outDir)
  await addCommonJs(source, settings)
  await writeManifest(stage, clientManifest, source)
}

/**
 * The command line and the server, each bundled with all that it imports: npm installs one package.
 * The command line starts on an older Node than the server.
 */
async function stageProgram(stage: string): Promise<void> {
  const outdir = join(stage, 'dist')
  const server = await bundleServer({
    outdir: join(outdir, 'server'),
    filesRoot: outdir,
    entries: ['main.ts', 'index.ts'],
    target: 'node24.8',
    leavesPackages: false,
  })
  const commands = await bundleCommands({
    outdir,
    entries: ['main.ts', 'start.ts'],
    target: 'node20.3',
    isPublished: true,
  })
  await compile(CLI, { outDir: outdir, declaration: true, emitDeclarationOnly: true }, ['start.ts'])
  await stageFiles(outdir)
  await cp(join(CLI, 'bin'), join(stage, 'bin'), { recursive: true })
  await writeFile(join(stage, 'LICENSES.txt'), licensesOf([server, commands], []))
  // `mayfly --version` reads it there.
  const commit = await sourceCommit()
  await writeManifest(
    stage,
    (source: Readonly<Record<string, unknown>>) => ({ ...programManifest(source), commit }),
    CLI,
  )
}

async function writeManifest<Source>(
  stage: string,
  published: (source: Source) => object,
  from: string,
): Promise<void> {
  const source: Source = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'))
  const text = JSON.stringify(published(source), null, 2)
  await writeFile(join(stage, 'package.json'), `${text}\n`)
}

/** TypeScript to JavaScript and declarations. The settings are the repository's own. */
async function compile(
  from: string,
  emit: Readonly<Record<string, boolean | string>>,
  files: readonly string[] = ['**/*'],
): Promise<void> {
  const source = join(from, 'src')
  const settings = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      // `npm test` checks the types of the whole repository at once.
      noCheck: true,
      rewriteRelativeImportExtensions: true,
      allowImportingTsExtensions: false,
      rootDir: source,
      ...emit,
    },
    include: files.map((file) => join(source, file)),
    exclude: [],
  }
  const path = `${String(emit['outDir'])}.tsconfig.json`
  await writeFile(path, JSON.stringify(settings, null, 2))
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
  try {
    await promisify(execFile)(tsc, ['-p', path])
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : ''
    throw new Error(`${from} does not compile:\n${output}`, { cause: error })
  } finally {
    await rm(path)
  }
}

/**
 * The same code for `require`, in a folder that says so: a file's name does not tell, because both
 * kinds are named `.js`. The declarations are those of the ES modules.
 */
async function addCommonJs(
  source: string,
  { outDir, target }: { readonly outDir: string; readonly target: string },
): Promise<void> {
  const commonJs = join(outDir, COMMONJS_FOLDER)
  const declarations = (await filesBelow(outDir)).filter((file) => file.endsWith('.d.ts'))
  await compile(source, {
    target,
    removeComments: true,
    module: 'commonjs',
    moduleResolution: 'bundler',
    verbatimModuleSyntax: false,
    outDir: commonJs,
  })
  for (const file of declarations) await cp(join(outDir, file), join(commonJs, file))
  await writeFile(join(commonJs, 'package.json'), '{ "type": "commonjs" }\n')
}

/** The compiler renames what JavaScript imports. The imports of declarations are left to us. */
async function nameBuiltFiles(dist: string): Promise<void> {
  for (const file of await readdir(dist, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue
    const path = join(dist, file)
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(/(from '\.[^']*|import\('\.[^']*)\.ts'/g, "$1.js'"))
  }
}
