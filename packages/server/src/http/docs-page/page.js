// The page: its menu, its filter, all operations.

import { byId, make, prose } from './elements.js'
import { api, baseUrl, operations } from './openapi.js'
import { article } from './operation.js'

function show() {
  const { title, version, description } = api.info
  document.title = byId('heading').textContent = `${title} API ${version}`
  const [note] = prose(`Paths are relative to \`${baseUrl}\`. As a file: `)
  note.append(make('a', { href: 'openapi.json' }, 'openapi.json'))
  byId('about').replaceChildren(...prose(description), note)

  const groups = [...Map.groupBy(operations(), ({ tag }) => tag)].map(([tag, members]) => {
    const entries = members.map((operation) => {
      const { id, method, path, summary } = operation
      const link = make('a', { href: `#${id}` }, make('b', { class: method }, method), summary)
      const text = `${method} ${path} ${summary} ${tag}`.toLowerCase()
      return { text, item: make('li', {}, link), article: article(operation) }
    })
    const [items, articles] = [entries.map(({ item }) => item), entries.map((at) => at.article)]
    const menu = make('section', {}, make('h2', {}, tag), make('ul', {}, items))
    return { entries, menu, page: make('section', {}, make('h2', {}, tag), articles) }
  })
  byId('list').replaceChildren(...groups.map(({ menu }) => menu))
  byId('operations').replaceChildren(...groups.map(({ page }) => page))
  byId('filter').addEventListener('input', () => filter(groups))
  filter(groups)
  byId(location.hash.slice(1))?.scrollIntoView()
}

function filter(groups) {
  const words = byId('filter').value.toLowerCase().split(/\s+/)
  const isFound = ({ text }) => words.every((word) => text.includes(word))
  for (const { entries, menu, page } of groups) {
    for (const entry of entries) entry.item.hidden = entry.article.hidden = !isFound(entry)
    menu.hidden = page.hidden = !entries.some(isFound)
  }
  const count = groups.flatMap(({ entries }) => entries.filter(isFound)).length
  byId('count').textContent = count === 1 ? '1 operation' : `${count} operations`
}

/** Beside the page the menu is always open; on a phone it closes after a choice. */
const isWide = matchMedia('(min-width: 52rem)')
const settleMenu = () => (byId('menu').open = isWide.matches)
settleMenu()
isWide.addEventListener('change', settleMenu)
byId('list').addEventListener('click', settleMenu)
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input, textarea, select')) return
  event.preventDefault()
  byId('filter').focus()
})
if (api !== null) show()
else byId('about').textContent = 'The description could not be loaded.'
