import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files that name the version of the release, and how; `VERSION` stands for a number. */
const PLACES: readonly { readonly files: string; readonly text: RegExp }[] = [
  { files: '{package.json,packages/*/package.json}', text: /"version": "VERSION"/g },
  { files: 'packages/*/package.json', text: /"@mayfly\/\w+": "VERSION"/g },
  { files: 'clients/python/*/pyproject.toml', text: /^version = "VERSION"/gm },
  { files: 'clients/python/*/pyproject.toml', text: /"mayfly-client==VERSION"/g },
  { files: 'Dockerfile', text: /^ARG \w+=VERSION/gm },
  { files: 'deploy/{ci,kubernetes}/*.y{a,}ml', text: /\/?mayfly(?:\/action)?[:@]v?VERSION/g },
]

const NUMBER = String.raw`(\d+\.\d+\.\d+)`

/** The version of the release, and every place that does not agree with it. */
export function checkVersions(root: string): {
  readonly version: string
  readonly problems: readonly string[]
} {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const version: string = JSON.parse(read('package.json')).version
  const named = PLACES.flatMap(({ files, text }) => {
    const pattern = new RegExp(
      text.source.replaceAll('VERSION', () => NUMBER),
      text.flags,
    )
    return globSync(files, { cwd: root }).flatMap((file) =>
      read(file)
        .matchAll(pattern)
        .map(([line, found]) => ({ file, line, found }))
        .toArray(),
    )
  })
  const problems = named
    .filter(({ found }) => found !== version)
    .map(({ file, line }) => `${file} has ${line}, not ${version}`)
  const hasSection = read('CHANGELOG.md')
    .split('\n')
    .some((line) => line.startsWith(`## ${version}`))
  if (!hasSection) problems.push(`CHANGELOG.md has no section for ${version}`)
  return { version, problems }
}
