import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

const ROOT = join(import.meta.dirname, '..', '..', '..')

/** Packages in the dashboard, which is built before. */
const DASHBOARD = ['preact', '@preact/signals', '@preact/signals-core'].map(
  (name) => `node_modules/${name}`,
)

/**
 * The licences of what is in the bundles and in the dashboard and is not ours, as they ask to be
 * passed on, after `others`.
 */
export function licensesOf(bundles: readonly Metafile[], others: readonly string[]): string {
  const files = bundles.flatMap(({ inputs }) => Object.keys(inputs))
  const folders = files.flatMap((file) => /^[^:]*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [])
  const packages = [...new Set([...folders, ...DASHBOARD])].sort().map(licenseOf)
  return [...others, ...packages].join(`\n${'-'.repeat(72)}\n\n`)
}

function licenseOf(folder: string): string {
  const manifest = readFileSync(join(ROOT, folder, 'package.json'), 'utf8')
  const { name, version, license } = JSON.parse(manifest)
  const texts = globSync('{LICENSE,LICENCE,License,license}*', { cwd: join(ROOT, folder) })
    .filter((file) => !/\.[jt]s$/.test(file))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8').trim())
  return `${name} ${version} (${license})\n\n${texts.join('\n\n') || 'The package has no text of its licence.'}\n`
}
