import { optionalText, type Setting, setting, text } from './setting.ts'

const PROVIDER_URL_RULE = 'must begin with https://, or with http:// and be on this machine'
const SAFE_URL = /^(?:https:\/\/|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/])/
const isProviderUrl = (url: string | null) =>
  url === null || (SAFE_URL.test(url) && URL.canParse(url))
const withoutSlash = (url: string) => url.replace(/\/+$/, '')

/** Providers of external accounts. */
export const IDENTITY_SETTINGS = {
  MAYFLY_OIDC_ISSUER: setting(optionalText.refine(isProviderUrl, { error: PROVIDER_URL_RULE }), {
    default: '',
    type: 'URL',
    sentence:
      'An OpenID Connect provider, found by discovery, whose accounts people may connect to theirs.',
  }),
  MAYFLY_OIDC_CLIENT_ID: setting(optionalText, {
    default: '',
    type: 'text',
    sentence: 'Our client id at MAYFLY_OIDC_ISSUER.',
  }),
  MAYFLY_OIDC_CLIENT_SECRET: setting(optionalText, {
    default: '',
    type: 'text',
    sentence: 'Our secret there. Unset for a public client, which proves itself by PKCE alone.',
  }),
  MAYFLY_OIDC_NAME: setting(optionalText, {
    default: '',
    type: 'text',
    sentence: 'What people call that provider. Unset, it is the host of the issuer.',
  }),
  MAYFLY_GITHUB_CLIENT_ID: setting(optionalText, {
    default: '',
    type: 'text',
    sentence: 'Client id of a GitHub OAuth app, whose users may connect their GitHub accounts.',
  }),
  MAYFLY_GITHUB_CLIENT_SECRET: setting(optionalText, {
    default: '',
    type: 'text',
    sentence: 'Its client secret.',
  }),
  MAYFLY_GITHUB_URL: setting(
    text.transform(withoutSlash).refine(isProviderUrl, { error: PROVIDER_URL_RULE }),
    {
      default: 'https://github.com',
      type: 'URL',
      sentence: 'GitHub itself, or an Enterprise server.',
    },
  ),
} as const satisfies Record<string, Setting>
