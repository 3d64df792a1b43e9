// Builds elements. Text from the document or from a response is never parsed as markup.

export const byId = (id) => document.getElementById(id)

/** make('p', { class: 'hint' }, 'text', child): an element with its attributes and children. */
export function make(tag, attributes, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children.flat().filter((child) => child !== ''))
  return element
}

/** Paragraphs at blank lines, code between backticks; no other markup. */
export function prose(text = '', attributes = {}) {
  return text.split(/\n\s*\n/).flatMap((paragraph) => {
    const parts = paragraph.split('`').map((part, at) => (at % 2 ? make('code', {}, part) : part))
    return paragraph === '' ? [] : [make('p', attributes, parts)]
  })
}

export function folded(label, content, open) {
  if (content.length === 0) return ''
  return make('details', open ? { open: '' } : {}, make('summary', {}, label), content)
}

/** A box with text as it is, or with a value as JSON; nothing for no value. */
export function codeBox(caption, value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  if (text === undefined) return ''
  const code = make('pre', { tabindex: '0' }, text === value ? text : highlighted(text))
  const button = make('button', { type: 'button', 'aria-label': `Copy: ${caption}` }, 'Copy')
  button.addEventListener('click', async () => {
    // Without HTTPS there is no clipboard: the text is selected, so that Ctrl+C takes it.
    getSelection().selectAllChildren(code)
    const copied = navigator.clipboard?.writeText(code.textContent).then(() => 'Copied')
    button.textContent = await (copied ?? Promise.reject()).catch(() => 'Selected')
  })
  return make('figure', {}, make('figcaption', {}, caption, button), code)
}

function highlighted(json) {
  const tokens = json.split(/("(?:[^"\\]|\\.)*":?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b)/)
  const kind = (token) => (token.endsWith(':') ? 'key' : token[0] === '"' ? 'string' : 'number')
  return tokens.map((token, at) => (at % 2 ? make('span', { class: kind(token) }, token) : token))
}
