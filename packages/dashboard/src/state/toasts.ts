import { signal } from '@preact/signals'
import { errorText, UNREACHABLE } from '../error-text.ts'

/** A short notice at the edge of the page. */
export type Toast = {
  readonly id: number
  readonly kind: 'info' | 'error'
  readonly text: string
  readonly requestId: string | null
  readonly action: { readonly label: string; readonly run: () => void } | null
  /** Called when the notice is gone, for whatever reason. */
  readonly onEnd: (() => void) | null
}

/** The notices that are shown, oldest first. */
export const toasts = signal<readonly Toast[]>([])

/** Time to read a notice and to reach its button. */
const TOAST_MS = 6_000
const TOASTS_MAX = 4

let lastId = 0
const timers = new Map<number, ReturnType<typeof setTimeout>>()

/** Shows a failure, with the request id for the operator. */
export function showError(error: unknown): void {
  const { text, requestId } = errorText(error)
  // Whatever was tried meanwhile failed for the same reason.
  if (text === UNREACHABLE) dismissUnreachable()
  show({ kind: 'error', text, requestId, action: null, onEnd: null })
}

/** Removes the notice that the service does not respond. */
export function dismissUnreachable(): void {
  for (const { id, text } of toasts.value) if (text === UNREACHABLE) dismissToast(id)
}

/** Shows a notice; returns a function that removes it. */
export function showInfo(
  text: string,
  action: Toast['action'] = null,
  onEnd: Toast['onEnd'] = null,
): () => void {
  return show({ kind: 'info', text, requestId: null, action, onEnd })
}

/** Removes a notice. */
export function dismissToast(id: number): void {
  const dismissed = toasts.value.find((toast) => toast.id === id)
  clearTimeout(timers.get(id))
  timers.delete(id)
  toasts.value = toasts.value.filter((toast) => toast !== dismissed)
  dismissed?.onEnd?.()
}

/** Keeps all notices: the reader is about to use one. */
export function holdToasts(): void {
  for (const timer of timers.values()) clearTimeout(timer)
}

/** Restarts the time of all notices. */
export function releaseToasts(): void {
  holdToasts()
  for (const id of timers.keys()) timers.set(id, setTimeout(dismissToast, TOAST_MS, id))
}

function show(toast: Omit<Toast, 'id'>): () => void {
  lastId += 1
  const id = lastId
  toasts.value = [...toasts.value, { ...toast, id }]
  for (const { id } of toasts.value.slice(0, -TOASTS_MAX)) dismissToast(id)
  // An error stays until it is dismissed: its request id may have to be copied.
  if (toast.kind === 'info') timers.set(id, setTimeout(dismissToast, TOAST_MS, id))
  return () => dismissToast(id)
}
