import nodemailer from 'nodemailer'

const transport = nodemailer.createTransport({
  host: process.env.SMTP_HOST,
  port: Number(process.env.SMTP_PORT),
})
const { response } = await transport.sendMail({
  from: 'App <app@example.com>',
  to: process.env.TO,
  subject: 'From nodemailer',
  text: 'Your code is 481516.',
})
console.log(response)
