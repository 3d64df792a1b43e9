import type { Assertion } from '@mayfly/client'
import type { SenderCheck } from '@mayfly/client/internal'
import { useSignal } from '@preact/signals'
import { Button, IconButton } from '../components/controls.tsx'
import { Dialog } from '../components/dialog.tsx'
import { SelectField, TextField } from '../components/fields.tsx'
import { Failure } from '../components/notices.tsx'
import { type ErrorText, errorText } from '../error-text.ts'
import { signedInClient } from '../session.ts'

/** A line of the editor: a check and the text that belongs to it. */
type Draft = { readonly id: number; readonly kind: string; readonly text: string }

const KINDS: readonly (readonly [kind: string, text: string])[] = [
  ['otpPresent', 'Has a one-time code'],
  ['containsText', 'Contains the text'],
  ['linkResponds', 'A link responds'],
  ['spf', 'SPF passes'],
  ['dkim', 'DKIM passes'],
  ['dmarc', 'DMARC passes'],
]

const TEXT_LABELS: Readonly<Record<string, string>> = {
  containsText: 'Text',
  linkResponds: 'Part of its URL (empty: any link)',
}

/** Writes a new scenario. */
export function ScenarioEditor(props: {
  readonly onClose: () => void
  readonly onCreated: () => void
}) {
  const name = useSignal('')
  const timeout = useSignal('30')
  const drafts = useSignal<readonly Draft[]>([{ id: 0, kind: 'otpPresent', text: '' }])
  const error = useSignal<ErrorText | null>(null)
  const save = async () => {
    try {
      await signedInClient().scenarios.create({
        name: name.value,
        timeoutSeconds: Number(timeout.value),
        assertions: drafts.value.map(toAssertion),
      })
      props.onCreated()
      props.onClose()
    } catch (thrown) {
      error.value = errorText(thrown)
    }
  }
  return (
    <Dialog title="New scenario" onClose={props.onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <TextField
          label="Name"
          placeholder="Sign-up mail"
          isRequired
          value={name.value}
          onChange={(value) => {
            name.value = value
          }}
        />
        <Drafts drafts={drafts} />
        <TextField
          label="Seconds to wait for a mail"
          type="number"
          min={0}
          max={50}
          value={timeout.value}
          onChange={(value) => {
            timeout.value = value
          }}
        />
        {error.value === null ? null : <Failure error={error.value} />}
        <footer>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Save scenario
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

function Drafts({ drafts }: { readonly drafts: { value: readonly Draft[] } }) {
  const change = (id: number, changes: Partial<Draft>) => {
    drafts.value = drafts.value.map((draft) => (draft.id === id ? { ...draft, ...changes } : draft))
  }
  return (
    <fieldset class="drafts">
      <legend>Checks</legend>
      {drafts.value.map(({ id, kind, text }, index) => (
        <div key={id} class="draft">
          <SelectField
            label={`Check ${index + 1}`}
            isLabelHidden
            value={kind}
            options={KINDS}
            onChange={(value) => change(id, { kind: value })}
          />
          {TEXT_LABELS[kind] === undefined ? null : (
            <TextField
              label={TEXT_LABELS[kind]}
              value={text}
              isRequired={kind === 'containsText'}
              onChange={(value) => change(id, { text: value })}
            />
          )}
          <IconButton
            icon="cross"
            label={`Remove check ${index + 1}`}
            isDisabled={drafts.value.length === 1}
            onClick={() => {
              drafts.value = drafts.value.filter((draft) => draft.id !== id)
            }}
          />
        </div>
      ))}
      <Button
        isSmall
        icon="plus"
        onClick={() => {
          const id = Math.max(...drafts.value.map((draft) => draft.id)) + 1
          drafts.value = [...drafts.value, { id, kind: 'containsText', text: '' }]
        }}
      >
        Add a check
      </Button>
    </fieldset>
  )
}

function toAssertion({ kind, text }: Draft): Assertion {
  const check = (['spf', 'dkim', 'dmarc'] satisfies SenderCheck[]).find((name) => name === kind)
  if (check !== undefined) return { type: 'auth', check }
  if (kind === 'containsText') return { type: 'containsText', text }
  if (kind === 'linkResponds') {
    return text.trim() === ''
      ? { type: 'linkResponds' }
      : { type: 'linkResponds', urlContains: text.trim() }
  }
  return { type: 'otpPresent' }
}
