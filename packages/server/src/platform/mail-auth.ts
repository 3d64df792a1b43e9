import type { MessageAuth } from '@mayfly/contract'
import type { AuthStatus, DNSResolver } from 'mailauth'
import { boundMail } from './mail-auth-bounds.ts'

/** The facts of a mail that sender checks need. */
export type SenderFacts = {
  readonly raw: Buffer
  readonly remoteAddress: string
  readonly helo: string | null
  /** Empty for the null sender. */
  readonly mailFrom: string
  /** Host name of this server. */
  readonly hostName: string
}

type Verdict = MessageAuth['spf']

type DkimSignature = { readonly status: AuthStatus; readonly signingDomain?: string | undefined }

/** The library that checks senders, loaded with the first mail: it is large. */
export const loadMailauth = () => import('mailauth')

/** Checks SPF, DKIM and DMARC of one mail. The resolver must have a deadline of its own. */
export async function verifySender(
  facts: SenderFacts,
  resolver: DNSResolver,
): Promise<MessageAuth> {
  const { authenticate } = await loadMailauth()
  const { raw, exceeded } = boundMail(facts.raw)
  const { spf, dkim, dmarc } = await authenticate(raw, {
    ip: facts.remoteAddress,
    helo: facts.helo ?? '',
    // The null sender is checked by the name that the client gave (RFC 7208, 2.4).
    sender: facts.mailFrom === '' ? `postmaster@${facts.helo ?? ''}` : facts.mailFrom,
    mta: facts.hostName,
    resolver,
    disableArc: true,
    disableBimi: true,
  })
  const verdicts = {
    spf: spf === false ? none('there is no sender domain') : verdict(spf.status, spf.domain),
    dkim: dkimVerdict(dkim.results),
    dmarc:
      dmarc === false
        ? none('there is no single From domain')
        : verdict(dmarc.status, dmarc.domain),
  }
  if (exceeded === null) return verdicts
  const unchecked: Verdict = { result: 'permerror', domain: null, detail: exceeded }
  // DMARC may pass by SPF alone. Otherwise it depends on the signatures.
  const isDmarcKnown = verdicts.dmarc.result === 'pass'
  return { ...verdicts, dkim: unchecked, dmarc: isDmarcKnown ? verdicts.dmarc : unchecked }
}

function dkimVerdict(results: readonly DkimSignature[]): Verdict {
  const signature = results.find(({ status }) => status.result === 'pass') ?? results[0]
  if (signature === undefined) return none('the mail is not signed')
  return verdict(signature.status, signature.signingDomain)
}

/** `temperror` for all three, when the checks could not run. */
export function unverified(detail: string): MessageAuth {
  const result: Verdict = { result: 'temperror', domain: null, detail }
  return { spf: result, dkim: result, dmarc: result }
}

function none(detail: string): Verdict {
  return { result: 'none', domain: null, detail }
}

/** Results of mailauth that RFC 8601 does not define, as the result it does. */
const RFC_8601: Readonly<Record<string, string>> = {
  temperr: 'temperror',
  skipped: 'none',
  declined: 'none',
}

function verdict(status: AuthStatus, domain: string | undefined): Verdict {
  return {
    result: RFC_8601[status.result] ?? status.result,
    domain: domain ?? null,
    detail: status.comment ?? null,
  }
}
