import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import sanitize from 'sanitize-html'
import { HOSTILE_HTML } from '../../test/testing-hostile-html.ts'
import { boundMarkup } from './bounded-markup.ts'

const DEPTH_MAX = 4
const bound = (html: string) =>
  boundMarkup(html, { depthMax: DEPTH_MAX, attributes: new Set(['href', 'title']) })

/** How many elements the parser of the sanitiser has open at most. */
function depthOf(html: string): number {
  let depth = 0
  let deepest = 0
  sanitize(html, {
    onOpenTag: () => {
      depth += 1
      deepest = Math.max(deepest, depth)
    },
    onCloseTag: () => {
      depth -= 1
    },
  })
  return deepest
}

describe('bounded markup', () => {
  const cases: readonly (readonly [html: string, bounded: string])[] = [
    ['<p>a<b>c</b></p>', '<p>a<b>c</b></p>'],
    ['<i><i><i><i><i>a</i></i></i></i></i>b', '<i><i><i><i>a</i></i></i></i>b'],
    ['<i><i><i><i><p>a<p>b</p>c', '<i><i><i><i>abc'],
    ['<p>1<p>2<p>3<p>4<p>5<p>6', '<p>1<p>2<p>3<p>4<p>5<p>6'],
    ['<A HREF=x TITLE=\'say "hi"\' onclick=y>a', '<a href="x" title="say &quot;hi&quot;">a'],
    ['<a href=1 href=2>', '<a href="1">'],
    ['1 < 2 <- 3', '1 &lt; 2 &lt;- 3'],
    ['a<!-- <b> -->c<!doctype x>d<?php e>f</ g>h', 'acdfh'],
    ['a<script><b></script>c<title>d</title >e', 'ace'],
    ['a<svg><style><b></svg>c<svg/>d<svg><svg></svg>e</svg>f', 'acdf'],
    ['<x\0y>a</x\0y><o:p>b</o:p>', 'a<o:p>b</o:p>'],
    ['</b>a</p></br>', 'a</p></br>'],
    ['a<b title="never closed', 'a'],
    ['<image title=a>', '<img title="a">'],
  ]
  for (const [html, bounded] of cases) {
    it(`of ${html}`, () => assert.equal(bound(html), bounded))
  }

  it('is never deeper than the bound for the parser, whatever the markup', () => {
    const pieces = [
      ...HOSTILE_HTML.flatMap((payload) => payload.match(/<[^>]*>?|[^<]+/g) ?? []),
      ...'<b> </b> <p> </p> <td> <tr> <table> </table> <li> <h1> <form> </form> <svg> </svg>'.split(
        ' ',
      ),
      ...'<select> <option> <button> <thead> <tbody> <dd> <rt> <head> <body> " \' = > < / --'.split(
        ' ',
      ),
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (mixture) => {
        // A void element counts while its tag is read.
        assert.ok(depthOf(bound(mixture.join(''))) <= DEPTH_MAX + 1)
      }),
      { numRuns: 5_000 },
    )
  })
})
