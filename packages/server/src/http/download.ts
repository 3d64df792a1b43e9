/** Well-formed media types. */
const DECLARED_TYPE = /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}$/

/** Types that a browser might render or execute under our origin. */
const ACTIVE_TYPE = /html|xml|svg|javascript|ecmascript|xhtml|mathml/i

/** Longest file name; file systems take 255 bytes. */
const NAME_CHARS_MAX = 150

/** Headers for untrusted bytes: always a download, and sandboxed in case a browser renders it. */
export function downloadHeaders(file: {
  readonly contentType: string
  readonly filename: string | null
}): Record<string, string> {
  return {
    'content-type': isPassiveType(file.contentType) ? file.contentType : 'application/octet-stream',
    'content-disposition': contentDisposition(file.filename ?? 'attachment', 'attachment'),
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'same-origin',
  }
}

/** Whether a declared type is well-formed, and nothing that a browser executes. */
export function isPassiveType(contentType: string): boolean {
  return DECLARED_TYPE.test(contentType) && !ACTIVE_TYPE.test(contentType)
}

/** A Content-Disposition with an ASCII name for old clients and the real one for others. */
export function contentDisposition(name: string, kind: 'attachment' | 'inline'): string {
  // Control characters, path separators and bidirectional marks could disguise the name.
  const safe = name
    .replace(/[\0-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069/\\]/g, '_')
    .toWellFormed()
    .slice(0, NAME_CHARS_MAX)
    .toWellFormed()
  const ascii = safe.replace(/[^\x20-\x7e]|["%]/g, '_')
  if (ascii === safe) return `${kind}; filename="${ascii}"`
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
