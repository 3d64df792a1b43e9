import type { ComponentChildren } from 'preact'
import type { ErrorText } from '../error-text.ts'
import { dismissToast, holdToasts, releaseToasts, toasts } from '../state/toasts.ts'
import { Button, CopyButton, IconButton } from './controls.tsx'
import { Icon, type IconName } from './icon.tsx'

/** The short notices at the edge of the page. */
export function Toasts() {
  return (
    <div
      class="toasts"
      role="status"
      aria-live="polite"
      onMouseEnter={holdToasts}
      onMouseLeave={releaseToasts}
      onFocusIn={holdToasts}
      onFocusOut={releaseToasts}
    >
      {toasts.value.map(({ id, kind, text, requestId, action }) => (
        <div key={id} class={`toast ${kind}`}>
          <Icon name={kind === 'error' ? 'alert' : 'check'} />
          <div class="toast-text">
            <p>{text}</p>
            {requestId === null ? null : (
              <p class="request-id">
                Request <code>{requestId}</code>
              </p>
            )}
          </div>
          {action === null ? null : (
            <Button
              isSmall
              onClick={() => {
                action.run()
                close(id)
              }}
            >
              {action.label}
            </Button>
          )}
          {requestId === null ? null : <CopyButton text={requestId} what="request id" />}
          <IconButton icon="cross" label="Dismiss" onClick={() => close(id)} />
        </div>
      ))}
    </div>
  )
}

/** Removes a notice. It loses the focus, in some browsers without an event. */
function close(id: number): void {
  dismissToast(id)
  releaseToasts()
}

/** The placeholder of an empty list or page. */
export function Empty(props: {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={props.icon} size={22} />
      </span>
      <p class="empty-title">{props.title}</p>
      {props.children === undefined ? null : <div class="empty-text">{props.children}</div>}
    </div>
  )
}

/** A failure in place of data that could not be read. */
export function Failure(props: { readonly error: ErrorText; readonly onRetry?: () => void }) {
  const { error, onRetry } = props
  return (
    <div class="failure" role="alert">
      <Icon name="alert" />
      <div>
        <p>{error.text}</p>
        {error.requestId === null ? null : (
          <p class="request-id">
            Request <code>{error.requestId}</code>
          </p>
        )}
      </div>
      {onRetry === undefined ? null : (
        <Button isSmall onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** Lines that stand for text that is being read. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="skeleton" />
      ))}
    </div>
  )
}
