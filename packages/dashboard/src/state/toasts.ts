import { signal } from '@preact/signals'
import { errorText } from '../error-text.ts'

/** A short notice at the edge of the page. */
export type Toast = {
  readonly id: number
  readonly kind: 'info' | 'error'
  readonly text: string
  readonly requestId: string | null
  readonly action: { readonly label: string; readonly run: () => void } | null
}

/** The notices that are shown, oldest first. */
export const toasts = signal<readonly Toast[]>([])

/** Time to read a notice and to reach its button. */
export const TOAST_MS = 6_000
const TOASTS_MAX = 4

let lastId = 0

/** Shows what failed, with the id that the operator finds it by. */
export function showError(error: unknown): void {
  const { text, requestId } = errorText(error)
  show({ kind: 'error', text, requestId, action: null })
}

/** Shows a notice; returns how to take it away. */
export function showInfo(text: string, action: Toast['action'] = null): () => void {
  return show({ kind: 'info', text, requestId: null, action })
}

/** Takes a notice away. */
export function dismissToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

function show(toast: Omit<Toast, 'id'>): () => void {
  lastId += 1
  const id = lastId
  toasts.value = [...toasts.value, { ...toast, id }].slice(-TOASTS_MAX)
  // An error stays until it is dismissed: its request id may have to be copied.
  if (toast.kind === 'info') setTimeout(dismissToast, TOAST_MS, id)
  return () => dismissToast(id)
}
