import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { publishedManifest } from './manifest.ts'
import { PUBLISHED, type PublishedPackage } from './packages.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Where packages are laid out as they are published, one folder each. */
export const STAGE = join(ROOT, 'dist')

/** Lays a package out as it is published; those that it imports must be there already. */
export async function stagePackage(published: PublishedPackage): Promise<void> {
  const { folder, isLean } = published
  const source = join(ROOT, 'packages', folder)
  const stage = join(STAGE, folder)
  await rm(stage, { recursive: true, force: true })
  await mkdir(stage, { recursive: true })
  await compile(published, { declaration: true, emitDeclarationOnly: isLean })
  if (isLean) await compile(published, { declaration: false, removeComments: true })
  await renameWorkers(join(stage, 'dist'))
  await copyOthers(join(source, 'src'), join(stage, 'dist'))
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  const text = JSON.stringify(publishedManifest(manifest, published.node), null, 2)
  await writeFile(join(stage, 'package.json'), `${text}\n`)
  await cp(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'))
  await copyReadme(source, stage)
}

/** TypeScript to JavaScript and declarations. The settings are the repository's own. */
async function compile(
  { folder, target }: PublishedPackage,
  emit: Readonly<Record<string, boolean>>,
): Promise<void> {
  const settings = {
    extends: '../tsconfig.json',
    compilerOptions: {
      noEmit: false,
      target,
      ...emit,
      rewriteRelativeImportExtensions: true,
      allowImportingTsExtensions: false,
      rootDir: `../packages/${folder}/src`,
      outDir: `./${folder}/dist`,
      // Packages import each other as users do: by what is published.
      paths: Object.fromEntries(
        PUBLISHED.map(({ folder: other }) => [`@mayfly/${other}`, [`./${other}/dist/index.d.ts`]]),
      ),
    },
    include: [`../packages/${folder}/src`],
    exclude: ['../**/*.test.ts', '../**/testing.ts', '../**/testing-*.ts'],
  }
  const path = join(STAGE, `tsconfig.${folder}.json`)
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

/** Workers are started by the URL of their file, which the compiler leaves as it is. */
async function renameWorkers(dist: string): Promise<void> {
  for (const file of await filesBelow(dist)) {
    if (!file.endsWith('.js')) continue
    const path = join(dist, file)
    const text = await readFile(path, 'utf8')
    const renamed = text.replace(/(new URL\('\.[^']*)\.ts(', import\.meta\.url\))/g, '$1.js$2')
    if (renamed !== text) await writeFile(path, renamed)
  }
}

/** What the program reads at run time beside its code. */
async function copyOthers(from: string, to: string): Promise<void> {
  for (const file of await filesBelow(from)) {
    if (extname(file) === '.ts') continue
    await mkdir(dirname(join(to, file)), { recursive: true })
    await cp(join(from, file), join(to, file))
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
