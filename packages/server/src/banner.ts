import type { Config } from './config.ts'

/** What a person at a terminal wants to know once the service is up. */
export function banner(
  service: { readonly httpUrl: string; readonly smtpPort: number },
  config: Config,
): string {
  const url = config.MAYFLY_BASE_URL ?? service.httpUrl
  const plan = config.MAYFLY_DEFAULT_PLAN
  return `
  Mayfly is ready.

    API    ${url}/v1
    Docs   ${url}/docs
    SMTP   ${config.MAYFLY_SMTP_HOST}:${service.smtpPort}

  Begin with an account; the answer holds your API key:

    curl ${url}/v1/accounts -H 'Content-Type: application/json' -d '{"email":"you@example.com"}'

  New accounts are on the plan ${plan}${PLAN_HINTS[plan]}

`
}

const PLAN_HINTS: Readonly<Record<Config['MAYFLY_DEFAULT_PLAN'], string>> = {
  key_only:
    ', whose limits are for trying out.\n  Hosting for yourself? MAYFLY_DEFAULT_PLAN=unlimited lifts the limits.',
  connected: ', whose limits are for regular use.',
  unlimited: ', without limits.',
}
