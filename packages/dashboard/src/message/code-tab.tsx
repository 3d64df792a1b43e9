import type { Message } from '@mayfly/client'
import type { OtpCandidate } from '@mayfly/client/internal'
import { useSignal } from '@preact/signals'
import { type CheckedLink, checkLinks } from '../catch-all-calls.ts'
import { Badge, Button, CopyButton } from '../components/controls.tsx'
import { Icon } from '../components/icon.tsx'
import { Failure, Loading } from '../components/notices.tsx'
import { Sent } from '../components/sent.tsx'
import { copyText } from '../copy.ts'
import { countText } from '../format.ts'
import { messagesOf } from '../session.ts'
import { openInbox } from '../state/inboxes.ts'
import { useLoaded } from '../use-loaded.ts'
import { OutsideLink } from './text-tab.tsx'

/** The code with the reasons for it, other candidates, and the links. */
export function CodeTab({ message }: { readonly message: Message }) {
  const { inboxId, id, otp } = message
  const explained = useLoaded(id, (signal) => messagesOf(inboxId).explainOtp(id, { signal }))
  const candidates = explained.value?.candidates ?? []
  const chosen = candidates.find(({ value }) => value === otp?.value)
  return (
    <div class="stack">
      <section>
        <h3>Code</h3>
        {otp === null ? (
          <p class="muted">No one-time code was found in this mail.</p>
        ) : (
          <div class="big-code">
            <output>{otp.value}</output>
            <p class="muted">{Math.round(otp.confidence * 100)} % sure</p>
            <Button kind="primary" icon="copy" onClick={() => copyText(otp.value, 'Code')}>
              Copy code
            </Button>
          </div>
        )}
        {explained.error === null ? null : (
          <Failure error={explained.error} onRetry={explained.reload} />
        )}
        {explained.value === null && explained.error === null ? <Loading lines={2} /> : null}
        {chosen === undefined ? null : <Reasons candidate={chosen} />}
      </section>
      <OtherCandidates candidates={candidates.filter((candidate) => candidate !== chosen)} />
      <Links key={id} message={message} />
    </div>
  )
}

function Reasons({ candidate }: { readonly candidate: OtpCandidate }) {
  const reasons = [
    ...candidate.reasonsFor.map((text) => ({ kind: 'for', text })),
    ...candidate.reasonsAgainst.map((text) => ({ kind: 'against', text })),
  ]
  return (
    <ul class="reasons">
      {reasons.map(({ kind, text }) => (
        <li key={text} class={kind}>
          <Icon name={kind === 'for' ? 'check' : 'cross'} size={14} />
          <span>
            <span class="unseen">{kind}: </span>
            {text}
          </span>
        </li>
      ))}
    </ul>
  )
}

function OtherCandidates({ candidates }: { readonly candidates: readonly OtpCandidate[] }) {
  if (candidates.length === 0) return null
  return (
    <details class="card">
      <summary>{countText(candidates.length, 'other candidate')}</summary>
      <ul class="candidates">
        {candidates.map((candidate) => (
          <li key={candidate.value}>
            <p>
              <code>{candidate.value}</code>{' '}
              <Badge>{Math.round(candidate.confidence * 100)} %</Badge>
            </p>
            <Reasons candidate={candidate} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function Links({ message: { id, inboxId, links } }: { readonly message: Message }) {
  const checked = useSignal<readonly CheckedLink[]>([])
  const check = async () => {
    checked.value = await checkLinks(inboxId, id)
  }
  return (
    <section>
      <div class="section-line">
        <h3>Links</h3>
        {links.length > 0 && openInbox.value?.inbox.catchAll === true ? (
          <Button isSmall onClick={check}>
            Check links
          </Button>
        ) : null}
      </div>
      {links.length === 0 ? <p class="muted">This mail has no link.</p> : null}
      <ul class="links">
        {links.map(({ url, text }) => (
          <li key={url}>
            <div>
              <p class="link-text">
                {text ? <Sent text={text} /> : 'No text'}{' '}
                <LinkStatus checked={checked.value.find(({ URL }) => URL === url)} />
              </p>
              <p class="link-url">
                <OutsideLink url={url} text={url} />
              </p>
            </div>
            <CopyButton text={url} what="link" />
          </li>
        ))}
      </ul>
    </section>
  )
}

function LinkStatus({ checked }: { readonly checked: CheckedLink | undefined }) {
  if (checked === undefined) return null
  const { StatusCode, Status } = checked
  const isGood = StatusCode > 0 && StatusCode < 400
  return (
    <Badge kind={isGood ? 'good' : 'bad'}>
      {StatusCode || ''} {Status}
    </Badge>
  )
}
