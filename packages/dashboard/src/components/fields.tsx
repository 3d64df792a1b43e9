import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type Common = {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A line of text to type. */
export function TextField(
  props: Common & {
    readonly type?: 'text' | 'email' | 'password' | 'url' | 'number'
    readonly placeholder?: string
    readonly isRequired?: boolean
    readonly isCode?: boolean
    readonly autoComplete?: string
    readonly min?: number
    readonly max?: number
  },
) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <input
        // The types of the attributes are for one type of field at a time.
        {...({ type: props.type ?? 'text' } as { readonly type: 'text' })}
        id={id}
        class={props.isCode === true ? 'code' : ''}
        value={props.value}
        placeholder={props.placeholder}
        required={props.isRequired}
        autocomplete={props.autoComplete ?? 'off'}
        spellcheck={false}
        min={props.min}
        max={props.max}
        aria-describedby={props.hint === undefined ? undefined : `${id}-hint`}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
      {props.hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
    </div>
  )
}

/** One of several values. */
export function SelectField(
  props: Common & {
    readonly options: readonly (readonly [value: string, text: string])[]
    readonly isLabelHidden?: boolean
  },
) {
  const id = useId()
  return (
    <div class="field">
      <label for={id} class={props.isLabelHidden === true ? 'unseen' : ''}>
        {props.label}
      </label>
      <select
        id={id}
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      >
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

/** Something to switch on or off. */
export function CheckField(props: {
  readonly children: ComponentChildren
  readonly hint?: string
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
}) {
  return (
    <label class="check-field">
      <input
        type="checkbox"
        checked={props.isChecked}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span>
        {props.children}
        {props.hint === undefined ? null : <span class="hint">{props.hint}</span>}
      </span>
    </label>
  )
}
