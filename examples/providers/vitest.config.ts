import { defineConfig } from 'vitest/config'

const mayfly = new URL(process.env['MAYFLY_BASE_URL'] ?? 'http://127.0.0.1:8025')
const key = process.env['MAYFLY_API_KEY'] ?? ''

export default defineConfig({
  test: {
    include: ['*.spec.ts'],
    testTimeout: Number(process.env['TEST_TIMEOUT_MS'] ?? 15_000),
    // All that a test changes of the applications.
    env: {
      AWS_ENDPOINT_URL_SESV2: `${mayfly.origin}/providers/ses/`,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: key,
      AWS_SECRET_ACCESS_KEY: key,
      SENDGRID_BASE_URL: `${mayfly.origin}/providers/sendgrid/`,
      SENDGRID_API_KEY: key,
      RESEND_BASE_URL: `${mayfly.origin}/providers/resend/`,
      RESEND_API_KEY: key,
      POSTMARK_HOST: `${mayfly.host}/providers/postmark`,
      POSTMARK_SERVER_TOKEN: key,
      MAILGUN_URL: `${mayfly.origin}/providers/mailgun/`,
      MAILGUN_API_KEY: key,
    },
  },
})
