import { extname } from 'node:path'

/** Types of files that mails usually carry, by extension. */
const TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.ics': 'text/calendar',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
}

/** The type that a mail declares for a file of this name. */
export function contentTypeOf(filename: string): string {
  return TYPES[extname(filename).toLowerCase()] ?? 'application/octet-stream'
}
