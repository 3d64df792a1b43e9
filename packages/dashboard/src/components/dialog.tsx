import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button, IconButton } from './controls.tsx'

/** A dialog above the page; Escape closes it, and the focus returns to where it was. */
export function Dialog(props: {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
}) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    dialog?.showModal()
    // Not the button that closes it, which is first.
    const field = dialog?.querySelector('input, select')
    if (field instanceof HTMLElement) field.focus()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        props.onClose()
      }}
    >
      <header>
        <h2 id={id}>{props.title}</h2>
        <IconButton icon="cross" label="Close" onClick={props.onClose} />
      </header>
      {props.children}
    </dialog>
  )
}

/** Asks for confirmation of an action that cannot be undone. */
export function ConfirmDialog(props: {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <p class="dialog-text">{props.text}</p>
      <footer>
        <Button onClick={props.onClose}>Cancel</Button>
        <Button
          kind="danger"
          onClick={async () => {
            await props.onConfirm()
            props.onClose()
          }}
        >
          {props.action}
        </Button>
      </footer>
    </Dialog>
  )
}
