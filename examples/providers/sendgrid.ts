import client from '@sendgrid/client'
import sendgrid from '@sendgrid/mail'
import { signupApp } from './signup.ts'

// The key first: setting it resets the URL.
client.setApiKey(process.env['SENDGRID_API_KEY'] ?? '')
const baseUrl = process.env['SENDGRID_BASE_URL']
if (baseUrl !== undefined) client.setDefaultRequest('baseUrl', baseUrl)
sendgrid.setClient(client)

export const app = signupApp((mail) => sendgrid.send(mail))
