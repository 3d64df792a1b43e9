import type { ClientSupport, Feature, UsedFeature } from '@mayfly/mail/html-check'

/** How Mailpit names the support of a client. */
const SUPPORT = { supported: 'yes', partial: 'partial', unsupported: 'no', unknown: 'no' } as const

type Share = keyof Pick<ClientSupport, 'supported' | 'partial' | 'unsupported'>

/** Which mail clients support the HTML of a mail, in the form of Mailpit. */
export async function toHtmlCheck(html: string) {
  // Loaded with the first check: the data is large.
  const { checkHtml } = await import('@mayfly/mail/html-check')
  const { elementCount, features, clients } = checkHtml(html)
  const mean = (share: Share) => {
    const sum = clients.reduce((all, client) => all + client[share], 0)
    return clients.length === 0 ? 0 : sum / clients.length
  }
  const warnings = features.map(toWarning).filter(({ Score }) => Score.Supported < 100)
  return {
    Warnings: warnings.sort((a, b) => a.Score.Supported - b.Score.Supported),
    Platforms: platformsOf(clients),
    Total: {
      Tests: features.reduce((all, { feature }) => all + feature.results.length, 0),
      Nodes: elementCount,
      Supported: clients.length === 0 ? 100 : mean('supported'),
      Partial: mean('partial'),
      Unsupported: mean('unsupported'),
    },
  }
}

function toWarning({ feature, found }: UsedFeature) {
  const { results } = feature
  const percent = (support: string) =>
    results.length === 0
      ? 0
      : (100 * results.filter((one) => SUPPORT[one.support] === support).length) / results.length
  return {
    Slug: feature.slug,
    Title: feature.title,
    Description: feature.description,
    URL: feature.url,
    Category: feature.category,
    Tags: feature.tags,
    Keywords: feature.keywords,
    Results: results.map(toResult),
    NotesByNumber: feature.notes,
    Score: {
      Found: found,
      Supported: percent('yes'),
      Partial: percent('partial'),
      Unsupported: percent('no'),
    },
  }
}

function toResult({ client, version, support, notes }: Feature['results'][number]) {
  const [family = '', platform = ''] = client.split('.')
  return {
    Name: `${family} ${platform} (${version})`,
    Platform: platform,
    Family: family,
    Version: version,
    Support: SUPPORT[support],
    NoteNumber: notes.join(','),
  }
}

function platformsOf(clients: readonly ClientSupport[]): Record<string, string[]> {
  const platforms: Record<string, string[]> = {}
  for (const { client } of clients) {
    const [family = '', platform = ''] = client.split('.')
    platforms[platform] = [...(platforms[platform] ?? []), family]
  }
  return platforms
}
