// Prints what breaks the house rules: in this repository, or in the one that is named.
//
//   node tools/tidy.ts [root]

import { dirname } from 'node:path'
import { checkTree, formatFinding } from './tidy/check.ts'
import { readFileTree } from './tidy/file-tree.ts'
import { Parser } from './tidy/parser.ts'

using parser = new Parser()
const root = process.argv[2] ?? dirname(import.meta.dirname)
const findings = checkTree(readFileTree(root), parser)
for (const finding of findings) console.log(formatFinding(finding))
if (findings.length > 0) process.exitCode = 1
