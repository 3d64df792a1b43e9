import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/**
 * Writes the URLs of our sources into a bundle, where `import.meta.url` would be that of the bundle
 * or nothing. The files of threads are those of their bundles, which lie beside this one.
 */
export function ownUrls(expressions: {
  /** The URL of a source. */
  readonly source: (path: string) => string
  /** The URL of the bundle. */
  readonly bundle: string
}): Plugin {
  return {
    name: 'own-urls',
    setup: ({ onLoad }) => {
      onLoad({ filter: /packages\/[^/]+\/src\/.*\.ts$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8')
        const contents = source.replace(
          /(new URL\('\.\/[a-z-]+-thread)\.ts', import\.meta\.url|import\.meta\.url/g,
          (_, thread) =>
            thread === undefined
              ? expressions.source(path)
              : `${thread}.js', ${expressions.bundle}`,
        )
        return { loader: 'ts', contents }
      })
    },
  }
}
