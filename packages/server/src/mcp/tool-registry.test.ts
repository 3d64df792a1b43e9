import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { findTool, listTools } from './tool-registry.ts'

describe('the tools', () => {
  const tools = listTools()

  it('are few, and named after what they do', () => {
    assert.deepEqual(tools.map(({ name }) => name).sort(), [
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

  it('are those of docs/agents.md, no more and no fewer', async () => {
    const page = new URL('../../../../docs/agents.md', import.meta.url)
    const rows = (await readFile(page, 'utf8')).matchAll(/^\| `(\w+)` \|/gm)
    assert.deepEqual(
      Array.from(rows, ([, name]) => name).sort(),
      tools.map(({ name }) => name).sort(),
    )
  })

  for (const { name, description, inputSchema, outputSchema } of tools) {
    it(`${name} says when to use it, in schemas that every client understands`, () => {
      assert.match(description, /\bUse it\b/)
      assert.ok(description.length < 500, `${description.length} characters`)
      assert.equal(inputSchema['additionalProperties'], false)
      assert.doesNotMatch(
        JSON.stringify([inputSchema, outputSchema]),
        /"\$(ref|defs)"|"example"|"type":\[/,
      )
    })
  }

  it('say which of them change, destroy or reach outside', () => {
    const having = (hint: 'readOnlyHint' | 'destructiveHint' | 'openWorldHint', value: boolean) =>
      tools.filter(({ annotations }) => annotations[hint] === value).map(({ name }) => name)
    assert.deepEqual(having('readOnlyHint', false).sort(), [
      'create_inbox',
      'delete_inbox',
      'save_scenario',
      'set_faults',
    ])
    assert.deepEqual(having('destructiveHint', true), ['delete_inbox'])
    assert.deepEqual(having('openWorldHint', true), ['check_mail', 'run_scenario'])
  })
})
