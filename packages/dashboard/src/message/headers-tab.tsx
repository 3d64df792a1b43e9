import type { Message } from '@mayfly/client'
import type { AuthVerdict, SenderCheck } from '@mayfly/client/internal'
import { useSignal } from '@preact/signals'
import { Badge } from '../components/controls.tsx'
import { TextField } from '../components/fields.tsx'
import { Sent } from '../components/sent.tsx'

const CHECKS: readonly (readonly [check: SenderCheck, name: string, pass: string, none: string])[] =
  [
    [
      'spf',
      'SPF',
      'The server that sent this mail may send for its domain.',
      'The domain has published no SPF record.',
    ],
    [
      'dkim',
      'DKIM',
      'The mail is signed by its domain and was not changed on the way.',
      'The mail is not signed.',
    ],
    [
      'dmarc',
      'DMARC',
      'The domain in the From header is the one that SPF or DKIM checked.',
      'The domain has published no DMARC policy.',
    ],
  ]

const RESULTS: Readonly<Record<string, string>> = {
  fail: 'The check failed: other services would distrust this mail.',
  softfail: 'The domain says that this server probably may not send for it.',
  neutral: 'The domain does not state whether this server may send for it.',
  temperror: 'DNS did not respond; the check could not be made.',
  permerror: 'The record of the domain is malformed.',
  policy: 'The signature is valid, but a rule does not accept it.',
}

/** The sender checks in words, and every header. */
export function HeadersTab({ message }: { readonly message: Message }) {
  const wanted = useSignal('')
  const needle = wanted.value.trim().toLowerCase()
  const shown = message.headers
    .map((header, index) => ({ ...header, index }))
    .filter(({ name, value }) => `${name}: ${value}`.toLowerCase().includes(needle))
  return (
    <div class="stack">
      <SenderChecks message={message} />
      <section>
        <div class="section-line">
          <h3>Headers</h3>
          <TextField
            label="Filter headers"
            value={wanted.value}
            onChange={(value) => {
              wanted.value = value
            }}
          />
        </div>
        <dl class="headers">
          {shown.map(({ name, value, index }) => (
            <div key={index}>
              <dt>
                <Sent text={name} />
              </dt>
              <dd>
                <Sent text={value} />
              </dd>
            </div>
          ))}
        </dl>
        {shown.length === 0 ? <p class="muted">No header contains this.</p> : null}
      </section>
    </div>
  )
}

function SenderChecks({ message: { auth, defects } }: { readonly message: Message }) {
  return (
    <section>
      <h3>Sender</h3>
      {auth === null ? <p class="muted">The sender checks are still running.</p> : null}
      {auth === null ? null : (
        <ul class="checks">
          {CHECKS.map(([check, name, pass, none]) => (
            <li key={check}>
              <span class="check-name">
                {name} <VerdictBadge verdict={auth[check]} />
              </span>
              <span>
                {{ pass, none, ...RESULTS }[auth[check].result]}
                <span class="muted">
                  <Sent
                    text={[auth[check].domain, auth[check].detail].filter(Boolean).join(' · ')}
                  />
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {defects.length === 0 ? null : (
        <>
          <h3>Malformed</h3>
          <ul class="defects">
            {defects.map((defect) => (
              <li key={defect}>
                <Sent text={defect} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function VerdictBadge({ verdict: { result } }: { readonly verdict: AuthVerdict }) {
  const kind = result === 'pass' ? 'good' : result === 'fail' ? 'bad' : 'plain'
  return <Badge kind={kind}>{result}</Badge>
}
