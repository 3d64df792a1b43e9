import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { COMMONJS_FOLDER, publishedManifest } from './manifest.ts'
import { PUBLISHED, type PublishedPackage } from './packages.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Lays packages out as they are published, one folder each below `to`; all, or those named. */
export async function stagePackages(to: string, only: readonly string[] = []): Promise<void> {
  for (const published of PUBLISHED) {
    if (only.length === 0 || only.includes(published.folder)) await stagePackage(to, published)
  }
}

/** Packages that this one imports must be there already. */
async function stagePackage(to: string, published: PublishedPackage): Promise<void> {
  const { folder, isLean, isDual } = published
  const source = join(ROOT, 'packages', folder)
  const stage = join(to, folder)
  await rm(stage, { recursive: true, force: true })
  await mkdir(stage, { recursive: true })
  await compile(to, published, { declaration: true, emitDeclarationOnly: isLean })
  if (isLean) await compile(to, published, { declaration: false, removeComments: true })
  await nameBuiltFiles(join(stage, 'dist'))
  if (isDual) await addCommonJs(to, published)
  await copyOthers(join(source, 'src'), join(stage, 'dist'))
  if (existsSync(join(source, 'bin'))) {
    await cp(join(source, 'bin'), join(stage, 'bin'), { recursive: true })
  }
  if (folder === 'server') {
    await copyDashboard(stage)
    await copyGuides(stage)
  }
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  const text = JSON.stringify(publishedManifest(manifest, published), null, 2)
  await writeFile(join(stage, 'package.json'), `${text}\n`)
  await cp(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'))
  await copyReadme(source, stage)
}

/** TypeScript to JavaScript and declarations. The settings are the repository's own. */
async function compile(
  to: string,
  { folder, target }: PublishedPackage,
  emit: Readonly<Record<string, boolean | string>>,
): Promise<void> {
  const source = join(ROOT, 'packages', folder, 'src')
  const settings = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      // `npm test` checks the types of the whole repository at once.
      noCheck: true,
      target,
      rewriteRelativeImportExtensions: true,
      allowImportingTsExtensions: false,
      rootDir: source,
      outDir: join(to, folder, 'dist'),
      // Packages import each other as users do: by what is published.
      paths: Object.fromEntries(
        PUBLISHED.map(({ folder: other }) => [
          `@mayfly/${other}`,
          [join(to, other, 'dist', 'index.d.ts')],
        ]),
      ),
      ...emit,
    },
    include: [source],
    exclude: ['**/*.test.ts', '**/testing.ts', '**/testing-*.ts'].map((glob) => join(ROOT, glob)),
  }
  const path = join(to, `tsconfig.${folder}.json`)
  await writeFile(path, JSON.stringify(settings, null, 2))
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
  try {
    await promisify(execFile)(tsc, ['-p', path])
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : ''
    throw new Error(`packages/${folder} does not compile:\n${output}`, { cause: error })
  } finally {
    await rm(path)
  }
}

/**
 * The same code for `require`, in a folder that says so: a file's name does not tell, because both
 * kinds are named `.js`. The declarations are those of the ES modules.
 */
async function addCommonJs(to: string, published: PublishedPackage): Promise<void> {
  const dist = join(to, published.folder, 'dist')
  const commonJs = join(dist, COMMONJS_FOLDER)
  const declarations = (await filesBelow(dist)).filter((file) => file.endsWith('.d.ts'))
  await compile(to, published, {
    declaration: false,
    removeComments: published.isLean,
    module: 'commonjs',
    moduleResolution: 'bundler',
    verbatimModuleSyntax: false,
    outDir: commonJs,
  })
  for (const file of declarations) await cp(join(dist, file), join(commonJs, file))
  await writeFile(join(commonJs, 'package.json'), '{ "type": "commonjs" }\n')
}

/**
 * The compiler renames what JavaScript imports. Workers, which are started by the URL of their
 * file, and the imports of declarations are left to us.
 */
async function nameBuiltFiles(dist: string): Promise<void> {
  for (const file of await filesBelow(dist)) {
    const path = join(dist, file)
    const text = await readFile(path, 'utf8')
    const named = file.endsWith('.d.ts')
      ? text.replace(/(from '\.[^']*|import\('\.[^']*)\.ts'/g, "$1.js'")
      : text.replace(/(new URL\('\.[^']*)\.ts(', import\.meta\.url\))/g, '$1.js$2')
    if (named !== text) await writeFile(path, named)
  }
}

/** What the program reads at run time beside its code. */
async function copyOthers(from: string, to: string): Promise<void> {
  for (const file of await filesBelow(from)) {
    if (extname(file) === '.ts') continue
    await mkdir(dirname(join(to, file)), { recursive: true })
    // A `page.js` for browsers beside a `page.ts` for us would be two files of one name.
    await cp(join(from, file), join(to, file), { force: false, errorOnExist: true })
  }
}

/** The server serves the dashboard, which is built for it. */
async function copyDashboard(stage: string): Promise<void> {
  const dashboard = join(ROOT, 'packages', 'dashboard')
  // `tools/setup.mjs` has built it; whoever skipped that has none yet.
  if (!existsSync(join(dashboard, 'dist', 'index.html'))) {
    await promisify(execFile)(process.execPath, [join(dashboard, 'build.ts')])
  }
  await cp(join(dashboard, 'dist'), join(stage, 'dist', 'dashboard'), {
    recursive: true,
    // The stamp of tools/setup.mjs.
    filter: (path) => !path.endsWith('.stamp'),
  })
}

/** The server serves the guides at /docs, and the document of its API. */
async function copyGuides(stage: string): Promise<void> {
  const docs = join(ROOT, 'docs')
  for (const name of await readdir(docs)) {
    if (!['.md', '.json'].includes(extname(name))) continue
    await cp(join(docs, name), join(stage, 'dist', 'guides', name))
  }
}

/** A package without a page of its own shows that of the project. */
async function copyReadme(source: string, stage: string): Promise<void> {
  const own = (await readdir(source)).includes('README.md')
  await cp(join(own ? source : ROOT, 'README.md'), join(stage, 'README.md'))
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}
