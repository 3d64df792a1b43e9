import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { after, describe, it } from 'node:test'
import { checkTree, formatFinding, RULES } from './tidy/check.ts'
import { readFileTree } from './tidy/file-tree.ts'
import { Parser } from './tidy/parser.ts'
import { PLANTED } from './tidy/planted.ts'
import { SAMPLE_TREE } from './tidy/sample-tree.ts'

describe('the house rules', () => {
  const parser = new Parser()
  after(() => parser[Symbol.dispose]())

  it('hold in this repository', () => {
    const tree = readFileTree(dirname(import.meta.dirname))
    assert.ok(tree.has('tools/tidy.test.ts'), 'the tree was read')
    assert.deepEqual(checkTree(tree, parser).map(formatFinding), [])
  })

  it('find nothing in a tree that keeps them', () => {
    assert.deepEqual(checkTree(SAMPLE_TREE, parser).map(formatFinding), [])
  })

  it('have each a planted violation', () => {
    const planted = new Set(PLANTED.map(({ rule }) => rule))
    const names = RULES.map(({ name }) => name)
    assert.deepEqual([...planted].sort(), names.sort())
  })

  for (const { rule, file, text, at } of PLANTED) {
    it(`report ${rule} at ${at}`, () => {
      const findings = checkTree(new Map(SAMPLE_TREE).set(file, text), parser)
      assert.deepEqual(
        findings.map((finding) => `${finding.rule} ${finding.file}:${finding.line}`),
        [`${rule} ${at}`],
      )
    })
  }
})
