// An empty route of Fastify, in a process of its own; prints its URL when it listens.

import fastify from 'fastify'

const http = fastify()
http.get('/empty', async () => ({}))
process.stdout.write(await http.listen({ host: '127.0.0.1', port: 0 }))
