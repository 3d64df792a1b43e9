import { ERRORS } from '@mayfly/contract'
import { array, type Json, type JsonObject, mapObjects, object } from './json.ts'

/** The code that begins the description of an error response. */
const FIRST_CODE = /^`(\w+)`/

/** Gives each JSON body an example, made of those of its fields. */
export function addExamples(document: JsonObject): JsonObject {
  const schemas = object(object(document['components'])['schemas'])
  const withExamples = mapObjects(document, (part) => {
    const content = object(part['content'])
    const media = object(content['application/json'])
    if (media['schema'] === undefined) return part
    const example = {
      ...object(exampleOf(media['schema'], schemas)),
      ...errorExample(String(part['description'] ?? '')),
    }
    return { ...part, content: { ...content, 'application/json': { ...media, example } } }
  })
  return object(withExamples)
}

/** A value of a schema: its example, or one made of its parts. */
function exampleOf(schema: Json | undefined, schemas: JsonObject): Json {
  const full = resolved(object(schema), schemas)
  const known = [full['example'], full['const'], full['default'], array(full['enum'])[0]]
  // The default of an optional body is empty, which shows nothing.
  const given = known.find((value) => value !== undefined && !isEmptyObject(value))
  if (given !== undefined) return given
  if (full['properties'] !== undefined) {
    const fields = Object.entries(object(full['properties']))
    return Object.fromEntries(fields.map(([name, part]) => [name, exampleOf(part, schemas)]))
  }
  if (full['type'] === 'array') return [exampleOf(full['items'], schemas)]
  const [alternative] = [...array(full['anyOf']), ...array(full['oneOf'])]
  if (alternative !== undefined) return exampleOf(alternative, schemas)
  return scalarOf(full)
}

function scalarOf({ type, format, minimum }: JsonObject): Json {
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return Math.max(Number(minimum ?? 0), 0)
  return format === 'date' ? '2026-01-31' : null
}

function resolved(schema: JsonObject, schemas: JsonObject): JsonObject {
  const name =
    String(schema['$ref'] ?? '')
      .split('/')
      .at(-1) ?? ''
  return name in schemas ? { ...object(schemas[name]), ...schema } : schema
}

/** The error that a response describes first. */
function errorExample(description: string): JsonObject {
  const code = FIRST_CODE.exec(description)?.[1] ?? ''
  const entry = Object.entries(ERRORS).find(([known]) => known === code)?.[1]
  return entry === undefined ? {} : { error: { type: entry.type, code, message: entry.message } }
}

function isEmptyObject(value: Json): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length === 0 &&
    !Array.isArray(value)
  )
}
