import type { CustomDomain } from '../../store/tables/domains.ts'

// A claim is pending until its TXT record is found, then verified; active when its MX is here.
//
//   pending  --TXT found----------->  verified
//   verified --TXT found, MX here-->  active
//   active   --MX elsewhere-------->  verified
//   any      --no TXT for 7 days--->  removed (remove.ts)
//
// A failed lookup changes nothing.

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** How long a claim lasts without its TXT record. */
export const CLAIM_MS = 7 * DAY_MS

/** Interval of checks in the first day after the proof, while the owner sets up the MX. */
const SOON_MS = 10 * MINUTE_MS

/** Delay before a failed check is repeated. */
export const RETRY_MS = SOON_MS

/** The facts in the records of a domain; `isMailHere` is null when the MX lookup failed. */
export type Records = { readonly isProven: boolean; readonly isMailHere: boolean | null }

/** The domain after a check. */
export function afterCheck(domain: CustomDomain, records: Records, now: number): CustomDomain {
  const checked = { ...domain, lastCheckedAt: now }
  const wasActive = domain.state === 'active'
  const isMailHere = records.isMailHere ?? wasActive
  if (!records.isProven) {
    const unproven = { ...checked, unprovenSince: domain.unprovenSince ?? now }
    // Without the proof a domain does not become active, but it stays active with its MX here.
    return wasActive && !isMailHere ? withoutMail(unproven) : unproven
  }
  const proven = { ...checked, unprovenSince: null, verifiedAt: domain.verifiedAt ?? now }
  if (!isMailHere) return withoutMail(proven)
  return { ...proven, state: 'active', activeAt: domain.activeAt ?? now }
}

function withoutMail(domain: CustomDomain): CustomDomain {
  return { ...domain, state: 'verified', activeAt: null }
}

/** When the sweep checks a domain next; null while it is pending. */
export function nextCheckAt(domain: CustomDomain, now: number): number | null {
  if (domain.verifiedAt === null) return null
  const isNew = domain.state === 'verified' && now - domain.verifiedAt < DAY_MS
  return now + (isNew ? SOON_MS : DAY_MS)
}
