import { addAbortSignal } from 'node:stream'
import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, chooseService, serviceUrl } from '../connection.ts'
import { createBridge } from '../mcp-bridge.ts'

/** Offers the tools of the service to an agent that starts programs. */
export const mcp = defineCommand({
  name: 'mcp',
  summary: 'the tools for AI agents on standard input and output',
  about:
    'For agents that start a program: passes messages of the Model Context Protocol to the service, at\n/mcp, and its answers back. Ends with standard input. Logs go to standard error.',
  options: { url: CONNECTION_OPTIONS.url, 'api-key': CONNECTION_OPTIONS['api-key'] },
  example: 'claude mcp add mayfly -- mayfly mcp',
  run: async ({ options, terminal }) => {
    const url = await serviceUrl(terminal, options)
    const inputEnded = new AbortController()
    const { input, interrupted, outputClosed } = terminal
    const ended = AbortSignal.any([interrupted, outputClosed, inputEnded.signal])
    // The key is found for each message: the service may start, or the key be saved, later.
    const choose = () => chooseService({ ...terminal, interrupted: ended }, options)
    const pass = createBridge(terminal, choose, ended)
    terminal.err(`Messages are passed to ${url}/mcp until standard input ends.\n`)
    try {
      let text = ''
      // Not node:readline: to it, characters that JSON may contain end a line.
      for await (const chunk of addAbortSignal(ended, input).setEncoding('utf8')) {
        text += chunk
        const lines = text.split('\n')
        text = lines.pop() ?? ''
        for (const line of lines) void pass(line)
      }
    } catch (error) {
      if (!ended.aborted) throw error
    }
    inputEnded.abort()
  },
})
