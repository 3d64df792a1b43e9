import { ERRORS } from '@mayfly/contract'
import { createLog, openApiDocument, settingsTable } from '@mayfly/server'

/** Documents that are written from the code, by their path. A test compares them with it. */
export async function generatedDocuments(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/configuration.md', configuration()],
    ['docs/errors.md', errors()],
    [
      'docs/openapi.json',
      `${JSON.stringify(await openApiDocument(createLog('silent')), null, 2)}\n`,
    ],
  ])
}

function configuration(): string {
  return `# Configuration

Everything is set by environment variables. An unknown \`MAYFLY_*\` variable or a malformed value
stops the start with one line that names it. \`mayfly serve --help\` prints the same list.

${settingsTable()}
`
}

function errors(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, type, message }]) => `| ${status} | \`${type}\` | \`${code}\` | ${message} |`,
  )
  return `# Errors

Every error has one shape:

\`\`\`json
{ "error": { "type": "not_found", "code": "inbox_not_found", "message": "…" } }
\`\`\`

Branch on \`code\`; \`message\` is for people and may be more exact than the text below. A 500
response also contains \`requestId\`, and every response has the header \`X-Request-Id\`; the log has the
details under this id.
429 and 503 carry \`Retry-After\` in seconds; 401 carries \`WWW-Authenticate\`; 405 carries \`Allow\`.

When several things are wrong at once, the response names the first in this order: path or method, key,
rate limit, media type and body, role and plan, the record itself.

| status | type | code | message |
|---|---|---|---|
${rows.join('\n')}
`
}
