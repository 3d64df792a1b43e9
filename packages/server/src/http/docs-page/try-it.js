// Sends an operation to the API, and shows the response.

import { byId, codeBox, folded, make } from './elements.js'
import { baseUrl, resolve, typeOf } from './openapi.js'

/** Characters shown of a response; more would make the page slow. */
const TEXT_CHARS_MAX = 200_000

const TEXT_TYPE = /^(text\/|application\/(json|problem\+json))/

/** A closed box with a form; the form is made when the box is first opened. */
export function tryIt(operation) {
  const box = make('details', { class: 'try' }, make('summary', {}, 'Try it'))
  box.addEventListener('toggle', () => box.append(...form(operation)), { once: true })
  return box
}

function form(operation) {
  const button = make('button', {}, 'Send')
  const status = make('p', { role: 'status' })
  const result = make('div', {})
  const element = make('form', {}, inputs(operation), make('p', {}, button))
  let running = null
  element.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (running !== null) return running.abort()
    running = new AbortController()
    button.textContent = 'Cancel'
    status.textContent = 'Waiting for the response …'
    result.replaceChildren()
    try {
      const request = requestOf(operation, new FormData(element))
      await send(request, { signal: running.signal, status, result })
    } catch (error) {
      status.textContent = running.signal.aborted ? 'Cancelled.' : `No response: ${error.message}`
    }
    running = null
    button.textContent = 'Send'
  })
  return [element, status, result]
}

function inputs({ parameters, body }) {
  const fields = parameters.map((parameter) =>
    make('label', {}, `${parameter.name} (${parameter.in})`, inputFor(parameter)),
  )
  const text = body.example(true)
  if (text === undefined) return fields
  const area = make('textarea', { name: 'body', rows: '6', spellcheck: 'false' })
  area.value = JSON.stringify(text, null, 2)
  return [...fields, make('label', {}, 'Body', area)]
}

function inputFor({ in: place, name, required, schema }) {
  const common = { name: `${place} ${name}`, ...(required ? { required: '' } : {}) }
  const { enum: values, default: unset } = resolve(schema)
  if (values === undefined) {
    return make('input', { ...common, placeholder: String(unset ?? typeOf(schema)) })
  }
  const choices = values.map((value) => make('option', {}, String(value)))
  return make('select', common, required ? '' : make('option', { value: '' }, 'not set'), choices)
}

/** The request of a filled form; a field that is empty is not sent. */
function requestOf({ method, path, parameters, body, needsKey }, data) {
  const given = (place) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name }) => [name, data.get(`${place} ${name}`)])
      .filter(([, value]) => value !== '')
  const route = given('path').reduce(
    (text, [name, value]) => text.replace(`{${name}}`, () => encodeURIComponent(value)),
    path,
  )
  const query = new URLSearchParams(given('query'))
  const headers = new Headers(given('header'))
  const key = byId('key').value.trim()
  if (needsKey && key !== '') headers.set('authorization', `Bearer ${key}`)
  const text = data.get('body') || undefined
  if (text !== undefined) headers.set('content-type', body.type)
  return new Request(`${baseUrl}${route}${query.size > 0 ? `?${query}` : ''}`, {
    method: method.toUpperCase(),
    headers,
    body: text,
    credentials: 'omit',
    cache: 'no-store',
  })
}

async function send(request, { signal, status, result }) {
  const startedAt = performance.now()
  const response = await fetch(request, { signal })
  const tookMs = Math.round(performance.now() - startedAt)
  status.textContent = `${response.status} ${response.statusText} after ${tookMs} ms`
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  result.append(folded('Response headers', [codeBox('Headers', headers)], false))
  const type = response.headers.get('content-type') ?? ''
  if (TEXT_TYPE.test(type)) await showText(response, type, result)
  else if (response.status !== 204) await offerDownload(response, type, result)
}

/** Shows the text as it arrives: an event stream does not end. */
async function showText(response, type, result) {
  const box = codeBox('Response', '')
  const shown = box.querySelector('pre')
  result.prepend(box)
  let text = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    shown.textContent = text.slice(0, TEXT_CHARS_MAX)
  }
  if (!/json/.test(type) || text.length > TEXT_CHARS_MAX) return
  const value = JSON.parse(text)
  box.replaceWith(codeBox('Response', value))
  // A new account's key is shown once, and the next thing to try needs it.
  if (typeof value?.apiKey === 'string' && byId('key').value === '') {
    byId('key').value = value.apiKey
  }
}

async function offerDownload(response, type, result) {
  const file = await response.blob()
  const disposition = response.headers.get('content-disposition') ?? ''
  const [, name = 'response'] = /filename="([^"]*)"/.exec(disposition) ?? []
  const link = { href: URL.createObjectURL(file), download: name }
  result.prepend(
    make('p', {}, make('a', link, `Download ${name}`), ` (${type}, ${file.size} bytes)`),
  )
}
