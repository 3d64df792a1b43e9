// Shows one operation: what it takes, what it responds, examples.

import { codeBox, folded, make, prose } from './elements.js'
import { bodyOf, boundsOf, curlCommand, objectsIn, resolve, typeOf } from './openapi.js'
import { tryIt } from './try-it.js'

const NESTED_FIELDS_MAX = 6

/** One list for each kind of object, nested lists within. */
function fields(schema, depth = 0) {
  const objects = depth > NESTED_FIELDS_MAX ? [] : objectsIn(schema)
  return objects.map(({ properties, required = [] }) => {
    const rows = Object.entries(properties).map(([name, property]) =>
      field({ name, schema: property, required: required.includes(name) }, depth),
    )
    return make('ul', { class: 'fields' }, rows)
  })
}

function field({ name, schema, required, description }, depth) {
  const inner = fields(schema, depth + 1)
  const label = inner.length > 1 ? `${inner.length} forms` : 'Fields'
  return make(
    'li',
    {},
    make('code', {}, make('strong', {}, name)),
    make('span', { class: 'type' }, `${typeOf(schema)}${required ? '' : ' · optional'}`),
    prose(description ?? resolve(schema).description),
    prose(boundsOf(schema).join('; '), { class: 'hint' }),
    folded(label, inner, depth < 1),
  )
}

function responseRow([status, holder]) {
  const { type, schema } = bodyOf(holder)
  const { description = '' } = resolve(holder)
  const isSuccess = /^[23]/.test(status)
  const inner = fields(schema, isSuccess ? 0 : 1)
  return make(
    'li',
    {},
    make('b', { class: isSuccess ? 'post' : 'delete' }, status),
    make('span', { class: 'type' }, type === undefined ? 'no body' : type.split(';')[0]),
    prose(description === 'Default Response' ? '' : description),
    isSuccess ? inner : folded('Body', inner, false),
  )
}

function section(title, lists) {
  return lists.length > 0 ? [make('h4', {}, title), ...lists] : []
}

function listOf(rows) {
  return rows.length > 0 ? [make('ul', { class: 'fields' }, rows)] : []
}

function audience({ isWebhook, needsKey }) {
  if (isWebhook) return 'Sent by the service to your endpoint.'
  return needsKey ? 'Needs an API key.' : 'Needs no API key.'
}

export function article(operation) {
  const { id, method, path, summary, description, parameters, body, isWebhook } = operation
  const responses = Object.entries(operation.responses ?? {})
  // Errors that many operations have in common are components.
  const own = responses.filter(([, holder]) => holder.$ref === undefined)
  const shared = responses.filter((entry) => !own.includes(entry)).map(([status]) => status)
  const success = responses.find(([status]) => /^[23]/.test(status)) ?? []
  const places = ['path', 'query', 'header'].flatMap((place) => {
    const rows = parameters.filter((parameter) => parameter.in === place)
    const title = place === 'header' ? 'Headers' : `${place[0].toUpperCase()}${place.slice(1)}`
    return section(title, listOf(rows.map((row) => field(row, 1))))
  })
  const reference = make(
    'div',
    {},
    make('h3', {}, make('a', { href: `#${id}` }, summary)),
    make('p', { class: 'route' }, make('b', { class: method }, method), make('code', {}, path)),
    make('p', { class: 'hint' }, audience(operation)),
    prose(description),
    [...places, ...section('Body', fields(body.schema))],
    section('Responses', listOf(own.map(responseRow))),
    shared.length > 0 ? prose(`Also ${shared.join(', ')}, as every call.`, { class: 'hint' }) : '',
  )
  const examples = [
    isWebhook ? '' : codeBox('curl', curlCommand(operation)),
    isWebhook ? '' : tryIt(operation),
    codeBox('Body', body.example(false)),
    codeBox(`Response ${success[0]}`, bodyOf(success[1]).example(false)),
  ]
  return make('article', { id }, reference, make('div', { class: 'examples' }, examples))
}
