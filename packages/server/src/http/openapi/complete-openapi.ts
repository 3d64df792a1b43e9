import { describeErrors, SHARED_RESPONSES } from './errors.ts'
import { addExamples } from './examples.ts'
import { array, type Json, type JsonObject, mapObjects, mapValues, object } from './json.ts'

const SCHEMAS = '#/components/schemas/'

/** Descriptions of successful responses, which the schemas do not have. */
const SUCCESS: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created.',
  204: 'No content.',
}

/** Headers of successful responses, by operation and status. */
const HEADERS: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  createInbox: {
    201: {
      'Idempotent-Replayed': {
        description:
          'Present when an earlier call with the same `Idempotency-Key` created the inbox.',
        schema: { type: 'string', enum: ['true'] },
      },
    },
  },
}

/** Formats that make the patterns which zod adds redundant. */
const FORMATS: ReadonlySet<Json | undefined> = new Set(['date', 'date-time'])

/**
 * Completes the generated document: descriptions, errors that every operation may have, examples.
 *
 * Responses may gain fields within the version, so their schemas allow more; requests may not.
 */
export function polishOpenApi(document: JsonObject): JsonObject {
  const components = object(document['components'])
  const schemas = mapValues(object(components['schemas']), (schema, name) =>
    isInput(name) ? schema : allowMore(schema),
  )
  const paths = mapValues(object(document['paths']), (operations, path) =>
    mapValues(object(operations), (operation, method) =>
      polishOperation(object(operation), { path, method }),
    ),
  )
  const parts = { components: { ...components, schemas, responses: SHARED_RESPONSES }, paths }
  const used = withoutUnused({ ...document, ...parts })
  return addExamples(object(mapObjects(used, (part) => simplify(part, schemas))))
}

function polishOperation(
  operation: JsonObject,
  route: { readonly path: string; readonly method: string },
): JsonObject {
  const responses = mapValues(object(operation['responses']), (response, status) => {
    const { description, ...more } = object(allowMore(response))
    const headers = HEADERS[String(operation['operationId'])]?.[status]
    return {
      description: SUCCESS[status] ?? description ?? '',
      ...(headers === undefined ? {} : { headers }),
      ...more,
    }
  })
  const body = operation['requestBody']
  return {
    // Public operations say so, too.
    security: [],
    ...operation,
    ...(body === undefined ? {} : { requestBody: { ...object(body), required: needsBody(body) } }),
    responses: describeErrors(responses, route),
  }
}

/** A body without required fields is optional. */
function needsBody(body: Json): boolean {
  return JSON.stringify(body).includes('"required":[')
}

/** Whether a component is the variant of another one for requests. */
function isInput(name: string): boolean {
  return name.endsWith('Input')
}

/** Removes schemas that nothing refers to, such as variants for requests. */
function withoutUnused(document: JsonObject): JsonObject {
  const components = object(document['components'])
  const all = object(components['schemas'])
  const used = new Set<string>()
  const collect = (value: Json) =>
    mapObjects(value, (part) => {
      const name = String(part['$ref'] ?? '').replace(SCHEMAS, '')
      if (name in all && !used.has(name)) {
        used.add(name)
        collect(all[name] ?? null)
      }
      return part
    })
  for (const part of ['paths', 'webhooks']) collect(document[part] ?? null)
  collect(SHARED_RESPONSES)
  const kept = Object.entries(all).filter(([name]) => used.has(name))
  return { ...document, components: { ...components, schemas: Object.fromEntries(kept) } }
}

function allowMore(value: Json): Json {
  return mapObjects(value, ({ additionalProperties, ...rest }) =>
    additionalProperties === undefined || additionalProperties === false
      ? rest
      : { ...rest, additionalProperties },
  )
}

/**
 * Removes patterns that repeat a format, and names the property that distinguishes alternatives.
 */
function simplify(schema: JsonObject, schemas: JsonObject): JsonObject {
  const { pattern, ...rest } = schema
  if (pattern !== undefined && FORMATS.has(schema['format'])) return rest
  const mapping = array(schema['oneOf']).map((alternative) => {
    const $ref = String(object(alternative)['$ref'] ?? '')
    const properties = object(object(schemas[$ref.replace(SCHEMAS, '')])['properties'])
    return [String(object(properties['type'])['const'] ?? ''), $ref] as const
  })
  if (mapping.length === 0 || mapping.some(([type]) => type === '')) return schema
  const discriminator = { propertyName: 'type', mapping: Object.fromEntries(mapping) }
  return { ...schema, discriminator }
}
