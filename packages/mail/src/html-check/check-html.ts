import { scanMarkup } from '../html/scan-markup.ts'
import { CANIEMAIL_DATE, CLIENT_NAMES, FEATURES_JSON } from './caniemail-data.ts'
import { type Count, CssFeatures } from './css-features.ts'
import { countElement } from './html-features.ts'

/** How a mail client shows a feature. */
export type Support = 'supported' | 'partial' | 'unsupported' | 'unknown'

/** How one version of a mail client shows a feature. */
export type FeatureResult = {
  /** `family.platform`, such as `outlook.windows`. */
  readonly client: string
  readonly version: string
  readonly support: Support
  /** Numbers of notes of the feature. */
  readonly notes: readonly string[]
}

/** A feature of HTML or CSS, and what is known of it in mail clients. */
export type Feature = {
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly url: string
  readonly category: string
  readonly tags: readonly string[]
  readonly keywords: string
  readonly notes: Readonly<Record<string, string>>
  /** By client; of one client, the oldest version first. */
  readonly results: readonly FeatureResult[]
}

/** A feature that a mail uses, and how often. */
export type UsedFeature = { readonly feature: Feature; readonly found: number }

/** How much of what a mail uses a client supports, in percent. */
export type ClientSupport = {
  readonly client: string
  readonly name: string
  readonly supported: number
  readonly partial: number
  readonly unsupported: number
}

/** What is known of the HTML of a mail. */
export type HtmlCheck = {
  /** When the data was last changed. */
  readonly dataDate: string
  readonly elementCount: number
  readonly features: readonly UsedFeature[]
  readonly clients: readonly ClientSupport[]
}

let known: ReadonlyMap<string, Feature> | null = null

/** All features, by their slugs. */
export function knownFeatures(): ReadonlyMap<string, Feature> {
  known ??= new Map(FEATURES_JSON.map(readFeature).map((feature) => [feature.slug, feature]))
  return known
}

/** Which features of HTML and CSS a mail uses, and which mail clients support them. */
export function checkHtml(html: string): HtmlCheck {
  const { counts, elementCount } = countFeatures(html)
  const all = knownFeatures()
  const features = [...counts].flatMap(([slug, found]) => {
    const feature = all.get(slug)
    return feature === undefined ? [] : [{ feature, found }]
  })
  features.sort((a, b) => (a.feature.slug < b.feature.slug ? -1 : 1))
  return { dataDate: CANIEMAIL_DATE, elementCount, features, clients: clientSupport(features) }
}

/** The newest version of each client that the feature was tried with. */
export function newestResults({ results }: Feature): FeatureResult[] {
  return [...new Map(results.map((result) => [result.client, result])).values()]
}

/** `Outlook Windows` for `outlook.windows`. */
export function clientName(client: string): string {
  const [family = '', platform = ''] = client.split('.')
  const names = [CLIENT_NAMES.family[family] ?? family, CLIENT_NAMES.platform[platform] ?? platform]
  return names.join(' ')
}

function countFeatures(html: string): {
  readonly counts: ReadonlyMap<string, number>
  readonly elementCount: number
} {
  const counts = new Map<string, number>()
  const count: Count = (slug, times = 1) => counts.set(slug, (counts.get(slug) ?? 0) + times)
  const css = new CssFeatures(count)
  let elementCount = 0
  scanMarkup(html, {
    element: (name, attributes) => {
      elementCount += 1
      countElement(count, name, attributes)
      css.addDeclarations(attributes.get('style') ?? '')
    },
    styleSheet: (text) => css.addSheet(text),
    comment: () => count('html-comments'),
    declaration: (text) => {
      if (/^doctype\s+html\s*$/.test(text)) count('html-doctype')
    },
  })
  return { counts, elementCount }
}

/** Each feature counts once, however often it is used: one that fails breaks the mail anyway. */
function clientSupport(features: readonly UsedFeature[]): ClientSupport[] {
  const byClient = new Map<string, Record<Support, number>>()
  for (const { feature } of features) {
    for (const { client, support } of newestResults(feature)) {
      const counts = byClient.get(client) ?? NOTHING
      byClient.set(client, { ...counts, [support]: counts[support] + 1 })
    }
  }
  return [...byClient]
    .map(([client, { supported, partial, unsupported }]) => {
      const all = Math.max(1, supported + partial + unsupported)
      const percent = (part: number) => Math.round((1000 * part) / all) / 10
      const shares = {
        supported: percent(supported),
        partial: percent(partial),
        unsupported: percent(unsupported),
      }
      return { client, name: clientName(client), ...shares }
    })
    .sort((a, b) => (a.client < b.client ? -1 : 1))
}

const NOTHING: Readonly<Record<Support, number>> = {
  supported: 0,
  partial: 0,
  unsupported: 0,
  unknown: 0,
}

const SUPPORT: Readonly<Record<string, Support>> = {
  y: 'supported',
  a: 'partial',
  n: 'unsupported',
}

/** A feature as tools/renew-caniemail.ts writes it; of each client versions and codes alternate. */
type StoredFeature = Omit<Feature, 'url' | 'results'> & {
  readonly results: Readonly<Record<string, readonly string[]>>
}

function readFeature(json: string): Feature {
  const stored: StoredFeature = JSON.parse(json)
  const results = Object.entries(stored.results).flatMap(([client, versions]) =>
    versions.flatMap((version, at) => {
      const code = at % 2 === 0 ? versions[at + 1] : undefined
      if (code === undefined) return []
      const [letter = '', ...notes] = code.split(/[\s#]+/)
      return [{ client, version, support: SUPPORT[letter] ?? 'unknown', notes }]
    }),
  )
  return { ...stored, url: `https://www.caniemail.com/features/${stored.slug}/`, results }
}
