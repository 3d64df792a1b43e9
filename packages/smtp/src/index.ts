export { type MailHandler, REFUSAL_REPLIES } from './server/handler.ts'
export { type CertificatePair, makeSelfSignedCertificate } from './server/self-signed.ts'
export { startSmtpServer } from './server/server.ts'
