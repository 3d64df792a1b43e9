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

/** The JSON schema of the input or output of a tool. */
export function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io,
    // The one dialect in which clients with the first version of the library validate results.
    target: 'draft-7',
    metadata: new Descriptions(),
    override: ({ jsonSchema: json }) => {
      // A long pattern that repeats the format.
      if (json.format === 'date-time') delete json.pattern
      if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum
      if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
      // Results may gain fields.
      if (io === 'output') delete json.additionalProperties
    },
  })
  return { ...oneTypeEach(json), type: 'object' }
}

/** `type: ["string", "null"]` as two branches: some clients support one type alone. */
function oneTypeEach<Json>(json: Json): Json {
  return JSON.parse(JSON.stringify(json), (_key, value: unknown) => {
    if (value === null || typeof value !== 'object' || !('type' in value)) return value
    const { type, ...rest } = value
    return Array.isArray(type) ? { ...rest, anyOf: type.map((one) => ({ type: one })) } : value
  })
}
