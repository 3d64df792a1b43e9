/** Saves bytes as a file. They never become a page of ours: the type is that of plain bytes. */
export function saveFile(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Not at once: the browser begins to read after this task.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Shows a PDF in a tab of its own. By its type the browser's viewer opens it, never as a page. */
export function openPdf(bytes: Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }))
  open(url, '_blank')
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
