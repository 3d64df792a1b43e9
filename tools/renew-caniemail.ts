// Renews what is known of HTML and CSS in mail clients, from the data of caniemail.com:
//
//   node_modules/.bin/node tools/renew-caniemail.ts
//
// The npm package `caniemail` carries that data (MIT). Only its data is taken: as a dependency it
// would bring eleven packages along.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The data as caniemail.com publishes it, as far as it is used. */
type Published = {
  readonly last_update_date: string
  readonly nicenames: {
    readonly family: Readonly<Record<string, string>>
    readonly platform: Readonly<Record<string, string>>
  }
  readonly data: readonly PublishedFeature[]
}

type PublishedFeature = {
  readonly slug: string
  readonly title: string
  readonly description: string | null
  readonly category: string
  readonly tags: readonly string[] | null
  readonly keywords: string | null
  readonly stats: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>
  >
  readonly notes_by_num: Readonly<Record<string, string>> | null
}

const ROOT = join(import.meta.dirname, '..')
const TARGET = join(ROOT, 'packages', 'mail', 'src', 'html-check', 'caniemail-data.ts')

const folder = mkdtempSync(join(tmpdir(), 'caniemail-'))
try {
  execFileSync('npm', ['pack', 'caniemail@latest', '--silent'], { cwd: folder })
  const [tarball = ''] = readdirSync(folder)
  execFileSync('tar', ['xzf', tarball], { cwd: folder })
  const path = join(folder, 'package', 'data', 'caniemail.json')
  // An object has the keys that are whole numbers first: marked, versions keep their order.
  const marked = readFileSync(path, 'utf8').replace(/"(\d+)":/g, '"=$1":')
  const published: Published = JSON.parse(marked)
  writeFileSync(TARGET, dataFile(published))
  const biome = join(ROOT, 'node_modules', '.bin', 'biome')
  execFileSync(biome, ['format', '--write', TARGET], { stdio: 'inherit' })
  console.log(`${published.data.length} features of ${published.last_update_date.slice(0, 10)}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function dataFile({ last_update_date, nicenames, data }: Published): string {
  const { family, platform } = nicenames
  return `// Made by tools/renew-caniemail.ts from the data of caniemail.com: MIT, Rémi Parmentier.

/** When the data was last changed. */
export const CANIEMAIL_DATE = ${JSON.stringify(last_update_date.slice(0, 10))}

/** The names of the families and of the platforms of mail clients. */
export const CLIENT_NAMES: {
  readonly family: Readonly<Record<string, string>>
  readonly platform: Readonly<Record<string, string>>
} = ${JSON.stringify({ family, platform })}

/** The features, each as JSON; read when they are first used. */
export const FEATURES_JSON: readonly string[] = ${JSON.stringify(data.map(featureJson))}
`
}

function featureJson(feature: PublishedFeature): string {
  const { slug, title, description, category, tags, keywords, stats, notes_by_num } = feature
  const results = Object.entries(stats).flatMap(([family, platforms]) =>
    Object.entries(platforms).map(([platform, versions]) => [
      `${family}.${platform}`,
      Object.entries(versions).flatMap(([version, support]) => [unmarked(version), support]),
    ]),
  )
  return JSON.stringify({
    ...{ slug, title, description: description ?? '', category },
    ...{ tags: tags ?? [], keywords: keywords ?? '' },
    notes: Object.fromEntries(
      Object.entries(notes_by_num ?? {}).map(([number, note]) => [unmarked(number), note]),
    ),
    results: Object.fromEntries(results),
  })
}

function unmarked(key: string): string {
  return key.replace(/^=/, '')
}
