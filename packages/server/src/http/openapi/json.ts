/** A value of a JSON document. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json }

/** An object of a JSON document. */
export type JsonObject = { readonly [name: string]: Json }

/** The value as an object; an empty one if it is none. */
export function object(value: Json | undefined): JsonObject {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return {}
  // Neither null, nor an array, nor a scalar; the compiler does not narrow readonly arrays.
  return value as JsonObject
}

/** The value as an array; an empty one if it is none. */
export function array(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

/** The object with its values changed. */
export function mapValues(
  record: JsonObject,
  change: (value: Json, name: string) => Json,
): JsonObject {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, change(value, name)]),
  )
}

/** The value with each object in it changed, from the innermost outwards. */
export function mapObjects(value: Json, change: (object: JsonObject) => JsonObject): Json {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change))
  if (value === null || typeof value !== 'object') return value
  return change(mapValues(object(value), (inner) => mapObjects(inner, change)))
}
