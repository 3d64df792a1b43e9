import { showError, showInfo } from './state/toasts.ts'

/** Copies text to the clipboard and shows a notice. */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    if (navigator.clipboard === undefined) copyBySelection(text)
    else await navigator.clipboard.writeText(text)
    showInfo(`${what} copied`)
  } catch (error) {
    showError(error)
  }
}

/** Browsers have `navigator.clipboard` only on pages by HTTPS or of the same machine. */
function copyBySelection(text: string): void {
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (!isCopied) throw new Error('The browser does not allow this page to copy.')
}
