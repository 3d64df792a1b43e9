// Known advisories of packages, and those that a lock file has.
//
// advisories.json is a list by hand, from the GitHub Advisory Database: `npm audit` needs the
// internet, and the list makes sure that no version comes back. For each release, compare it with
// `npm audit` where there is internet, and add what is new.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An advisory, and the versions that it is about: from the first, below the one that fixes it. */
type Advisory = {
  readonly package: string
  readonly advisory: string
  readonly affected: readonly { readonly from: string; readonly fixed: string }[]
}

/** The part of a lock file that is read: versions by the folder of each package. */
type Lock = { readonly packages: Readonly<Record<string, { readonly version?: string }>> }

const ADVISORIES: readonly Advisory[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'advisories.json'), 'utf8'),
)

/** A sentence for each package of a lock file that an advisory is about. */
export function findAffected(lock: Lock, advisories = ADVISORIES): readonly string[] {
  return Object.entries(lock.packages).flatMap(([folder, { version }]) => {
    const name = folder.split('node_modules/').at(-1)
    if (version === undefined) return []
    return advisories
      .filter((one) => one.package === name && isAffected(one, version))
      .map(({ advisory }) => `${folder} ${version}: ${advisory}`)
  })
}

function isAffected({ affected }: Advisory, version: string): boolean {
  return affected.some(({ from, fixed }) => !isBelow(version, from) && isBelow(version, fixed))
}

/** Whether a version is below another one. A version before a release counts as this release. */
function isBelow(version: string, other: string): boolean {
  const [own, others] = [version, other].map((one) => one.split(/[-+]/)[0]?.split('.').map(Number))
  for (const [i, number] of (own ?? []).entries()) {
    const difference = number - (others?.[i] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}
