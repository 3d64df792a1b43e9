import type { Assertion, AssertionRun, Scenario } from '@mayfly/client'
import type { SavedAssertion } from '@mayfly/client/internal'
import { useSignal } from '@preact/signals'
import { Badge, Button } from '../components/controls.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { SelectField } from '../components/fields.tsx'
import { Icon } from '../components/icon.tsx'
import { Empty, Failure, Loading } from '../components/notices.tsx'
import { Sent } from '../components/sent.tsx'
import { hrefOf } from '../routes.ts'
import { signedInClient } from '../session.ts'
import { inboxes } from '../state/inboxes.ts'
import { useLoaded } from '../use-loaded.ts'
import { ScenarioEditor } from './scenario-editor.tsx'

/** The scenarios of the account. */
export function ScenariosPage() {
  const scenarios = useLoaded('scenarios', (signal) => signedInClient().scenarios.list({ signal }))
  const isCreating = useSignal(false)
  const setCreating = (value: boolean) => () => {
    isCreating.value = value
  }
  return (
    <>
      <div class="actions">
        <Button kind="primary" icon="plus" onClick={setCreating(true)}>
          New scenario
        </Button>
      </div>
      {scenarios.error === null ? null : (
        <Failure error={scenarios.error} onRetry={scenarios.reload} />
      )}
      {scenarios.value === null && scenarios.error === null ? <Loading /> : null}
      {scenarios.value?.length === 0 ? (
        <Empty icon="scenario" title="No scenario yet">
          Save the checks that every sign-up mail must pass, and run them with one call.
        </Empty>
      ) : null}
      <ul class="cards">
        {scenarios.value?.map((scenario) => (
          <li key={scenario.id} class="card">
            <ScenarioCard item={scenario} onDeleted={scenarios.reload} />
          </li>
        ))}
      </ul>
      {isCreating.value ? (
        <ScenarioEditor onClose={setCreating(false)} onCreated={scenarios.reload} />
      ) : null}
    </>
  )
}

function ScenarioCard(props: { readonly item: Scenario; readonly onDeleted: () => void }) {
  const { item } = props
  const isConfirming = useSignal(false)
  const setConfirming = (value: boolean) => () => {
    isConfirming.value = value
  }
  return (
    <>
      <div class="card-line">
        <h3>{item.name}</h3>
        <span class="muted">waits {item.timeoutSeconds} s</span>
        <span class="spring" />
        <Button isSmall onClick={setConfirming(true)}>
          Delete
        </Button>
      </div>
      <ul class="assertions">
        {item.assertions.map((assertion) => (
          <li key={JSON.stringify(assertion)}>{assertionText(assertion)}</li>
        ))}
      </ul>
      <RunScenario item={item} />
      {isConfirming.value ? (
        <ConfirmDialog
          title={`Delete “${item.name}”?`}
          text="Programs that run it get an error from now on."
          action="Delete scenario"
          onConfirm={async () => {
            await signedInClient().scenarios.delete(item.id)
            props.onDeleted()
          }}
          onClose={setConfirming(false)}
        />
      ) : null}
    </>
  )
}

function RunScenario({ item }: { readonly item: Scenario }) {
  const chosen = useSignal('')
  const run = useSignal<{ readonly inboxId: string; readonly report: AssertionRun } | null>(null)
  const inboxId = chosen.value || (inboxes.value?.[0]?.inbox.id ?? '')
  return (
    <div class="run">
      <div class="run-line">
        <SelectField
          label={`Inbox for ${item.name}`}
          isLabelHidden
          value={inboxId}
          onChange={(value) => {
            chosen.value = value
          }}
          options={(inboxes.value ?? []).map(
            ({ inbox }) => [inbox.id, inbox.emailAddress] as const,
          )}
        />
        <Button
          icon="play"
          isDisabled={inboxId === ''}
          onClick={async () => {
            run.value = null
            const report = await signedInClient().scenarios.run(item.id, { id: inboxId })
            run.value = { inboxId, report }
          }}
        >
          Run
        </Button>
      </div>
      {run.value === null ? null : <Report {...run.value} />}
    </div>
  )
}

function Report({ inboxId, report }: { readonly inboxId: string; readonly report: AssertionRun }) {
  return (
    <div class="report" role="status">
      <p>
        <Badge kind={report.passed ? 'good' : 'bad'}>{report.passed ? 'passed' : 'failed'}</Badge>{' '}
        {report.message === null ? (
          'No mail arrived in time.'
        ) : (
          <a href={hrefOf({ page: 'message', inboxId, messageId: report.message.id, tab: null })}>
            {report.message.subject ?? 'No subject'}
          </a>
        )}
      </p>
      <ul class="reasons">
        {report.results.map(({ type, passed, detail }, index) => (
          <li key={`${index} ${type}`} class={passed ? 'for' : 'against'}>
            <Icon name={passed ? 'check' : 'cross'} size={14} />
            <span>
              <span class="unseen">{passed ? 'Passed: ' : 'Failed: '}</span>
              <strong>{type}</strong> <Sent text={detail} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function assertionText(assertion: Assertion | SavedAssertion): string {
  switch (assertion.type) {
    case 'otpPresent':
      return 'has a one-time code'
    case 'containsText':
      return `contains “${assertion.text}”`
    case 'linkResponds':
      return assertion.urlContains === undefined
        ? 'has a link that responds'
        : `has a link with “${assertion.urlContains}” that responds`
    case 'auth':
      return `${assertion.check.toUpperCase()} is ${assertion.expect ?? 'pass'}`
    case 'htmlSupport':
      return `${assertion.clients?.join(', ') ?? 'every mail client'} supports ${assertion.atLeast} % of its HTML`
  }
}
