import type { CustomDomain } from '../../store/tables/domains.ts'

// A claim is pending until its TXT record is found, then verified; with its MX here, active.
//
//   pending  --TXT found----------->  verified
//   verified --TXT found, MX here-->  active
//   active   --MX elsewhere-------->  verified
//   any      --no TXT for 7 days--->  gone: anyone may claim the domain
//
// A lookup that fails moves nothing.

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** For how long a claim stands without its TXT record. */
export const CLAIM_MS = 7 * DAY_MS

/** Who has just proved a domain is setting its MX: that is looked for often, for a day. */
const SOON_MS = 10 * MINUTE_MS

/** When a check that could not be made is tried again. */
export const RETRY_MS = SOON_MS

/** What the records of a domain say; `null` where that could not be found out. */
export type Records = { readonly isProven: boolean; readonly isMailHere: boolean | null }

/** What a check makes of a domain. */
export function afterCheck(domain: CustomDomain, records: Records, now: number): CustomDomain {
  const checked = { ...domain, lastCheckedAt: now }
  const wasActive = domain.state === 'active'
  const isMailHere = records.isMailHere ?? wasActive
  if (!records.isProven) {
    const unproven = { ...checked, unprovenSince: domain.unprovenSince ?? now }
    // Its mail may still come here, but nothing new is believed without a proof.
    return wasActive && !isMailHere ? withoutMail(unproven) : unproven
  }
  const proven = { ...checked, unprovenSince: null, verifiedAt: domain.verifiedAt ?? now }
  if (!isMailHere) return withoutMail(proven)
  return { ...proven, state: 'active', activeAt: domain.activeAt ?? now }
}

function withoutMail(domain: CustomDomain): CustomDomain {
  return { ...domain, state: 'verified', activeAt: null }
}

/** When a domain is looked at again unasked; null while it is pending. */
export function nextCheckAt(domain: CustomDomain, now: number): number | null {
  if (domain.verifiedAt === null) return null
  const isNew = domain.state === 'verified' && now - domain.verifiedAt < DAY_MS
  return now + (isNew ? SOON_MS : DAY_MS)
}
