import { toJsonSchema } from './json-schema.ts'
import type { Tool, ToolResult } from './tool.ts'
import { accountTools } from './tools/accounts.ts'
import { assertionTools } from './tools/assertions.ts'
import { diagnosticsTools } from './tools/diagnostics.ts'
import { faultTools } from './tools/faults.ts'
import { inboxTools } from './tools/inboxes.ts'
import { messageTools } from './tools/messages.ts'
import { waitingTools } from './tools/waiting.ts'

/** Every tool, by its name, in the order in which a test would use them. */
const TOOLS: ReadonlyMap<string, Tool> = new Map(
  [
    ...inboxTools,
    ...waitingTools,
    ...messageTools,
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

/** A result as text blocks, for clients that do not read structured content. */
export function resultTexts({ untrusted, ...trusted }: ToolResult): string[] {
  const own = JSON.stringify(trusted)
  return untrusted === undefined ? [own] : [own, untrusted]
}

function describeTools() {
  return [...TOOLS.values()].map(({ name, title, description, annotations, input, output }) => ({
    name,
    title,
    description,
    annotations: { title, ...annotations },
    inputSchema: toJsonSchema(input, 'input'),
    outputSchema: toJsonSchema(output, 'output'),
  }))
}
