/** Bytes of a mail's text, or of its HTML as it was sent, in one JSON response. */
export const JSON_TEXT_BYTES_MAX = 2 * 1024 * 1024

/** In JSON each of them takes six bytes, and a terminal may execute them. */
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f]/g

/** A text as a JSON response has it, and how it differs from the mail. */
export type JsonText = { readonly text: string; readonly defects: readonly string[] }

/**
 * A text of a mail for a JSON response: without control characters other than tab, line feed and
 * carriage return, and at most 2 MiB. `/raw` has the mail as it was sent.
 */
export function jsonText(whole: string): JsonText {
  const start = startOf(whole)
  const text = withoutControls(start)
  const defects = []
  if (start.length < whole.length) {
    defects.push(
      'the text is longer than 2 MiB; its end is left out (the raw message has all of it)',
    )
  }
  if (text !== start) {
    defects.push('control characters of the text are shown as spaces (the raw message has them)')
  }
  return { text, defects }
}

/** Spaces instead of control characters. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, ' ')
}

/** As many whole characters from the start as fit. */
function startOf(whole: string): string {
  if (whole.length * UTF8_BYTES_MAX <= JSON_TEXT_BYTES_MAX) return whole
  const { read } = new TextEncoder().encodeInto(whole, new Uint8Array(JSON_TEXT_BYTES_MAX))
  return whole.slice(0, read)
}

/** Bytes of a UTF-16 code unit in UTF-8. */
const UTF8_BYTES_MAX = 3
