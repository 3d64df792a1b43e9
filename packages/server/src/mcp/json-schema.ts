import { z } from 'zod'

/** A JSON schema of an object. */
export type JsonSchema = { readonly type: 'object'; readonly [keyword: string]: unknown }

/**
 * Metadata of the contract's schemas without ids and examples: an id becomes a reference, which not
 * every client follows, and examples cost an agent more tokens than they are worth.
 */
class Descriptions extends z.core.$ZodRegistry<Record<string, unknown>> {
  override get(schema: z.core.$ZodType): Record<string, unknown> | undefined {
    const { id: _, example: __, ...rest } = z.globalRegistry.get(schema) ?? {}
    return rest
  }
}

/** Rules that few calls break: the error of the call says them, and each session carries this. */
const LEFT_TO_ERRORS = ['minLength', 'maxLength', 'maxItems', 'pattern', 'not'] as const

/** Parameters of many tools, in the fewest words; null for a name that says it. */
const SHARED: Readonly<Record<string, string | null>> = {
  inboxId: 'Its id or address.',
  after: 'A watermark of the inbox: only later mail counts.',
  since: 'Only mail received from then on.',
  from: 'Part of the sender.',
  subjectContains: null,
  textContains: null,
  q: 'A query, as for search_messages.',
  cursor: 'nextCursor of the page before.',
}

function briefly(name: string, property: unknown): unknown {
  const text = SHARED[name]
  if (text === undefined || typeof property !== 'object') return property
  const { description: _, ...rest } = { description: '', ...property }
  return text === null ? rest : { ...rest, description: text }
}

/** The JSON schema of the input of a tool. */
export function toJsonSchema(schema: z.ZodObject): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    metadata: new Descriptions(),
    override: ({ jsonSchema: json }) => {
      for (const rule of LEFT_TO_ERRORS) delete json[rule]
      if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum
      if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
      // Only of the whole: a schema of a part follows from its names.
      delete json.additionalProperties
      if (json.const !== undefined) delete json.type
      const { shownAs } = json
      if (shownAs === undefined) return
      for (const keyword of Object.keys(json)) delete json[keyword]
      Object.assign(json, shownAs)
    },
  })
  const { $schema: _, properties = {}, ...rest } = oneTypeEach(json)
  const brief = Object.entries(properties).map(([name, property]) => [
    name,
    briefly(name, property),
  ])
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(brief),
    additionalProperties: false,
  }
}

/** `type: ["string", "null"]` as two branches: some clients support one type alone. */
function oneTypeEach<Json>(json: Json): Json {
  return JSON.parse(JSON.stringify(json), (_key, value: unknown) => {
    if (value === null || typeof value !== 'object' || !('type' in value)) return value
    const { type, ...rest } = value
    return Array.isArray(type) ? { ...rest, anyOf: type.map((one) => ({ type: one })) } : value
  })
}
