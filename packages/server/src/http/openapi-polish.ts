type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type JsonObject = { readonly [name: string]: Json }

/** Descriptions of successful responses, which the schemas do not have. */
const SUCCESS: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  204: 'Done; there is nothing to say.',
}

/**
 * Corrects the generated document: successful responses get a description, responses may gain
 * fields within the version, and input variants of components are removed.
 */
export function polishOpenApi(document: JsonObject): JsonObject {
  const components = object(document['components'])
  const schemas = Object.entries(object(components['schemas']))
    .filter(([name]) => !name.endsWith('Input'))
    .map(([name, schema]) => [name, allowMore(schema)])
  const paths = Object.entries(object(document['paths'])).map(([path, operations]) => [
    path,
    mapValues(object(operations), (operation) => polishOperation(object(operation))),
  ])
  return {
    ...document,
    components: { ...components, schemas: Object.fromEntries(schemas) },
    paths: Object.fromEntries(paths),
  }
}

function polishOperation(operation: JsonObject): JsonObject {
  const responses = Object.entries(object(operation['responses'])).map(([status, response]) => {
    const described = SUCCESS[status]
    const more = object(allowMore(response))
    return [status, described === undefined ? more : { ...more, description: described }]
  })
  const body = operation['requestBody']
  return {
    ...operation,
    ...(body === undefined ? {} : { requestBody: { ...object(body), required: needsBody(body) } }),
    responses: Object.fromEntries(responses),
  }
}

/** A body without required fields may be left out. */
function needsBody(body: Json): boolean {
  return JSON.stringify(body).includes('"required":[')
}

function allowMore(value: Json): Json {
  if (Array.isArray(value)) return value.map(allowMore)
  if (value === null || typeof value !== 'object') return value
  const { additionalProperties, ...rest } = object(value)
  const kept = additionalProperties === false ? rest : object(value)
  return mapValues(kept, allowMore)
}

function mapValues(record: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}

function object(value: Json | undefined): JsonObject {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return {}
  // Neither null, nor an array, nor a scalar; the compiler does not narrow readonly arrays.
  return value as JsonObject
}
