// A bare smtp-server that reads mail and throws it away.
//
//   node bench/contenders/smtp-sink-program.ts PORT

import { SMTPServer } from 'smtp-server'

const server = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  maxClients: 1000,
  onData: (stream, _session, callback) => {
    stream.resume()
    stream.once('end', () => callback())
  },
})
server.on('error', () => {})
server.listen(Number(process.argv[2]), '127.0.0.1')
