import Mailgun from 'mailgun.js'
import { signupApp } from './signup.ts'

const mailgun = new Mailgun(FormData).client({
  username: 'api',
  key: process.env['MAILGUN_API_KEY'] ?? '',
  url: process.env['MAILGUN_URL'] ?? 'https://api.mailgun.net',
})

export const app = signupApp((mail) => mailgun.messages.create('mg.app.example', mail))
