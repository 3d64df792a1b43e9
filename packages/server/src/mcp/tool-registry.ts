import { toJsonSchema } from './json-schema.ts'
import type { Annotations, Tool, ToolResult } from './tool.ts'
import { accountTools } from './tools/accounts.ts'
import { assertionTools } from './tools/assertions.ts'
import { diagnosticsTools } from './tools/diagnostics.ts'
import { faultTools } from './tools/faults.ts'
import { inboxTools } from './tools/inboxes.ts'
import { messageTools } from './tools/messages.ts'
import { totpTools } from './tools/totp.ts'
import { waitingTools } from './tools/waiting.ts'

/** Every tool, by its name, in the order in which a test would use them. */
const TOOLS: ReadonlyMap<string, Tool> = new Map(
  [
    ...inboxTools,
    ...waitingTools,
    ...messageTools,
    ...totpTools,
    ...assertionTools,
    ...diagnosticsTools,
    ...faultTools,
    ...accountTools,
  ].map((tool) => [tool.name, tool]),
)

/** The tool of this name; null when there is none. */
export function findTool(name: unknown): Tool | null {
  return (typeof name === 'string' ? TOOLS.get(name) : undefined) ?? null
}

let listing: ReturnType<typeof describeTools> | null = null

/** The list of tools; built at the first call, because it never changes. */
export function listTools() {
  listing ??= describeTools()
  return listing
}

/** A result as text blocks: our own fields as JSON, then what senders wrote. */
export function resultTexts({ untrusted, ...trusted }: ToolResult): string[] {
  const own = JSON.stringify(trusted)
  return untrusted === undefined ? [own] : [own, untrusted]
}

/** The hints that differ from what a client assumes; two mean something for changes alone. */
function shownHints({ readOnlyHint, openWorldHint, ...changes }: Annotations) {
  const reach = openWorldHint ? {} : { openWorldHint }
  if (readOnlyHint) return { readOnlyHint, ...reach }
  const { destructiveHint, idempotentHint } = changes
  const again = idempotentHint ? { idempotentHint } : {}
  return { ...(destructiveHint ? {} : { destructiveHint }), ...again, ...reach }
}

function describeTools() {
  // Without schemas of results: each session carries the list, and a result explains itself.
  return [...TOOLS.values()].map(({ name, description, annotations, input }) => ({
    name,
    description,
    annotations: shownHints(annotations),
    inputSchema: toJsonSchema(input),
  }))
}
