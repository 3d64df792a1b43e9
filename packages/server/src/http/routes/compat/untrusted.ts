// Headers for content of senders, on paths where clients of mail catchers expect it unchanged.

import { contentDisposition, isPassiveType } from '../../download.ts'

/** The document gets an origin of its own and runs no script; a link opens a normal tab. */
const SANDBOX = 'sandbox allow-popups allow-popups-to-escape-sandbox'

/** For the HTML of a mail, with its images and style sheets. */
export const MAIL_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    SANDBOX,
    "default-src 'none'",
    "img-src 'self' data: https: http:",
    "style-src 'unsafe-inline' https: http:",
    'font-src data: https: http:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
}

/** For a part of a mail, which a page of the mail may show. */
export function inlineHeaders(file: {
  readonly contentType: string
  readonly filename: string | null
}): Record<string, string> {
  return {
    'content-type': isPassiveType(file.contentType) ? file.contentType : 'application/octet-stream',
    'content-disposition': contentDisposition(file.filename ?? 'attachment', 'inline'),
    'content-security-policy': `${SANDBOX}; default-src 'none'`,
  }
}

/** For a raw mail: as text, or as a download with a name. */
export function rawHeaders(filename: string | null): Record<string, string> {
  return {
    'content-type': 'text/plain; charset=utf-8',
    'content-security-policy': `${SANDBOX}; default-src 'none'`,
    ...(filename === null
      ? {}
      : { 'content-disposition': contentDisposition(filename, 'attachment') }),
  }
}
