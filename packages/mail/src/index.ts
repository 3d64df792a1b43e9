// By `export *` alone: a bundler then follows each import to its own file. With a list of names, a
// thread that needs one of them would load all of these files.

export * from './addresses/address-list.ts'
export * from './addresses/email-address.ts'
export * from './attachments/verdict.ts'
export * from './codes/find.ts'
export * from './detect.ts'
export * from './html/read-html.ts'
export * from './html/readable-text.ts'
export * from './links/html-urls.ts'
export * from './links/links.ts'
export * from './mime/parse-mail.ts'
export * from './mime/transfer-encoding.ts'
export * from './query/match-query.ts'
export * from './query/parse-query.ts'
export * from './query/queried-mail.ts'
export * from './steps.ts'
export * from './text/contains.ts'
