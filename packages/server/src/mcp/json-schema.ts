import { z } from 'zod'

/** A schema as a listing shows it. */
export type JsonSchema = { readonly type: 'object'; readonly [keyword: string]: unknown }

/**
 * What the contract says of its schemas, less their names: a named schema becomes a reference,
 * which not every client follows. Examples cost an agent more than they tell it.
 */
class Descriptions extends z.core.$ZodRegistry<Record<string, unknown>> {
  override get(schema: z.core.$ZodType): Record<string, unknown> | undefined {
    const { id: _, example: __, ...rest } = z.globalRegistry.get(schema) ?? {}
    return rest
  }
}

/** The JSON schema of what goes into or comes out of a tool. */
export function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io,
    // The dialect that the protocol's own library checks answers by.
    target: 'draft-7',
    metadata: new Descriptions(),
    override: ({ jsonSchema: json }) => {
      // Long patterns that say no more than the format beside them.
      if (json.format === 'date-time') delete json.pattern
      if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum
      if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
      // Answers may gain fields.
      if (io === 'output') delete json.additionalProperties
    },
  })
  return { ...oneTypeEach(json), type: 'object' }
}

/** `type: ["string", "null"]` as two branches: some clients know one type at a time. */
function oneTypeEach<Json>(json: Json): Json {
  return JSON.parse(JSON.stringify(json), (_key, value: unknown) => {
    if (value === null || typeof value !== 'object' || !('type' in value)) return value
    const { type, ...rest } = value
    return Array.isArray(type) ? { ...rest, anyOf: type.map((one) => ({ type: one })) } : value
  })
}
