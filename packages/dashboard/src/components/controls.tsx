import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { copyText } from '../copy.ts'
import { showError } from '../state/toasts.ts'
import { Icon, type IconName } from './icon.tsx'

type ButtonProps = {
  readonly children: ComponentChildren
  readonly onClick?: () => unknown
  readonly kind?: 'plain' | 'primary' | 'danger'
  readonly icon?: IconName
  readonly type?: 'button' | 'submit'
  readonly isDisabled?: boolean
  readonly isSmall?: boolean
}

/** A button. It is disabled while its action runs; a failure is shown. */
export function Button({ kind = 'plain', type = 'button', ...props }: ButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
    setBusy(true)
    try {
      await props.onClick?.()
    } catch (error) {
      showError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      type={type}
      class={`button ${kind}${props.isSmall === true ? ' small' : ''}`}
      disabled={props.isDisabled === true || isBusy}
      onClick={props.onClick === undefined ? undefined : press}
    >
      {props.icon === undefined ? null : <Icon name={props.icon} size={15} />}
      {props.children}
    </button>
  )
}

type IconButtonProps = {
  readonly icon: IconName
  readonly label: string
  readonly onClick: () => unknown
  readonly isDisabled?: boolean
  readonly isPressed?: boolean
}

/** A button that shows only an icon. */
export function IconButton({ icon, label, onClick, isDisabled, isPressed }: IconButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      aria-pressed={isPressed}
      title={label}
      disabled={isDisabled}
      onClick={() => {
        Promise.resolve(onClick()).catch(showError)
      }}
    >
      <Icon name={icon} />
    </button>
  )
}

/** Copies a text. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  return <IconButton icon="copy" label={`Copy ${what}`} onClick={() => copyText(text, what)} />
}

/** A text with its copy button. */
export function Copyable({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span class="copyable">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  )
}

/** A link that looks like an icon button. */
export function IconLink(props: {
  readonly icon: IconName
  readonly label: string
  readonly href: string
  readonly class?: string
}) {
  return (
    <a
      class={`icon-button ${props.class ?? ''}`}
      href={props.href}
      aria-label={props.label}
      title={props.label}
    >
      <Icon name={props.icon} />
    </a>
  )
}

/** A small label. */
export function Badge(props: {
  readonly children: ComponentChildren
  readonly kind?: 'plain' | 'accent' | 'good' | 'bad' | 'warn'
}) {
  return <span class={`badge ${props.kind ?? 'plain'}`}>{props.children}</span>
}

/** One of a few values, side by side. */
export function Segments<Value extends string>(props: {
  readonly label: string
  readonly values: readonly (readonly [value: Value, text: string])[]
  readonly selected: Value
  readonly onSelect: (value: Value) => void
}) {
  return (
    <fieldset class="segments">
      <legend class="unseen">{props.label}</legend>
      {props.values.map(([value, text]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.selected}
          onClick={() => props.onSelect(value)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  )
}
