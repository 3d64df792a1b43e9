import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { findTool, listTools } from './tool-registry.ts'

describe('the tools', () => {
  const tools = listTools()

  it('are few, and named after what they do', () => {
    assert.deepEqual(tools.map(({ name }) => name).sort(), [
      'authenticator_code',
      'check_mail',
      'create_inbox',
      'delete_inbox',
      'explain_missing_mail',
      'get_inbox',
      'list_inboxes',
      'list_links',
      'list_messages',
      'list_scenarios',
      'read_message',
      'run_scenario',
      'save_scenario',
      'search_messages',
      'set_faults',
      'usage_left',
      'wait_for_code',
      'wait_for_message',
    ])
    assert.equal(findTool('no_such_tool'), null)
  })

  it('cost a session little', () => {
    const bytes = Buffer.byteLength(JSON.stringify({ tools }))
    assert.ok(bytes <= 12 * 1024, `${bytes} bytes`)
  })

  it('are those of docs/agents.md, no more and no fewer', async () => {
    const page = new URL('../../../../docs/agents.md', import.meta.url)
    const rows = (await readFile(page, 'utf8')).matchAll(/^\| `(\w+)` \|/gm)
    assert.deepEqual(
      Array.from(rows, ([, name]) => name).sort(),
      tools.map(({ name }) => name).sort(),
    )
  })

  for (const { name, description, inputSchema } of tools) {
    it(`${name} says when to use it, in schemas that every client understands`, () => {
      assert.match(description, /\bUse it\b/)
      assert.ok(description.length < 500, `${description.length} characters`)
      assert.equal(inputSchema['additionalProperties'], false)
      assert.doesNotMatch(JSON.stringify(inputSchema), /"\$(ref|defs)"|"example"|"type":\[/)
    })
  }

  it('say which of them change, destroy or reach outside', () => {
    // What is not said is what the protocol assumes: changes, destroys, reaches outside.
    const saying = (hint: string) =>
      tools.filter(({ annotations }) => hint in annotations).map(({ name }) => name)
    const rest = (names: readonly string[]) =>
      tools.map(({ name }) => name).filter((name) => !names.includes(name))
    assert.deepEqual(rest(saying('readOnlyHint')).sort(), [
      'create_inbox',
      'delete_inbox',
      'save_scenario',
      'set_faults',
    ])
    assert.deepEqual(saying('destructiveHint').sort(), [
      'create_inbox',
      'save_scenario',
      'set_faults',
    ])
    assert.deepEqual(rest(saying('openWorldHint')), ['check_mail', 'run_scenario'])
  })
})
