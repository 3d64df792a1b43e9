import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { ServiceError } from '../errors.ts'
import type { Exchange } from './exchange.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { fillPrompt, listPrompts } from './prompts.ts'
import { MESSAGE_TEMPLATE, readMessageResource } from './resources.ts'
import type { ReportProgress, ToolCall } from './tool.ts'
import { errorTexts, toServiceError } from './tool-error.ts'
import { answerTexts, findTool, listTools } from './tools.ts'
import { fence } from './untrusted.ts'

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** Version of what agents see: it changes when tools do. */
const SERVER_INFO = { name: 'mayfly', title: 'Mayfly', version: '1.0.0' } as const

/** Shared, though nothing of ours is checked by it: a server that makes its own takes 10 ms. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/** The code for a resource that is not there. */
const RESOURCE_NOT_FOUND = -32002

/** A protocol server for one request, on behalf of its caller. */
export function createProtocol(exchange: Exchange): Server {
  // The library's more comfortable server promises to tell of changed lists, which a server
  // without sessions cannot, and words broken rules otherwise than the API does.
  const server = new Server(SERVER_INFO, {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    instructions: INSTRUCTIONS,
    jsonSchemaValidator,
  })
  const fenced = (text: string) => fence(exchange.ids.mark(), text)

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools() }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    using _running = cancellable(exchange, params.name, {
      requestId: extra.requestId,
      stop: () => void server.close(),
    })
    return await callTool(exchange, params, { ...exchange, fence: fenced, ...progressOf(extra) })
  })
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [MESSAGE_TEMPLATE],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const text = await protocolErrors(exchange, () =>
      readMessageResource({ ...exchange, fence: fenced }, uri),
    )
    if (text === null) throw new McpError(RESOURCE_NOT_FOUND, 'Resource not found', { uri })
    return { contents: [{ uri, mimeType: MESSAGE_TEMPLATE.mimeType, text }] }
  })
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: listPrompts() }))
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => {
    const prompt = await protocolErrors(exchange, async () =>
      fillPrompt(params.name, params.arguments),
    )
    if (prompt === null) throw new McpError(ErrorCode.InvalidParams, 'There is no such prompt')
    const content = { type: 'text' as const, text: prompt.text }
    return { description: prompt.description, messages: [{ role: 'user' as const, content }] }
  })
  return server
}

/** Lets another request cancel this one; a plain answer cut off would leave its client hanging. */
function cancellable(
  { running, session, caller: { keyId } }: Exchange,
  tool: string,
  call: { readonly requestId: string | number; readonly stop: () => void },
): Disposable | null {
  if (findTool(tool)?.waits !== true) return null
  return running.add({ keyId, session, requestId: call.requestId }, call.stop)
}

/** Runs a tool. What goes wrong becomes an answer that the agent can act on. */
async function callTool(
  exchange: Exchange,
  params: { readonly name: string; readonly arguments?: unknown },
  call: ToolCall,
): Promise<CallToolResult> {
  const tool = findTool(params.name)
  if (tool === null) throw new McpError(ErrorCode.InvalidParams, 'There is no such tool')
  try {
    const answer = await tool.run(call, params.arguments)
    return { content: textBlocks(answerTexts(answer)), structuredContent: answer }
  } catch (error) {
    const known = knownError(exchange, error)
    return { content: textBlocks(errorTexts(known, call.fence)), isError: true }
  }
}

/** Resources and prompts have no answers of their own for what goes wrong. */
async function protocolErrors<Result>(
  exchange: Exchange,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const { code, message } = knownError(exchange, error)
    const isMissing = code === 'inbox_not_found' || code === 'message_not_found'
    const isWrong = code === 'invalid_parameter'
    const protocolCode = isWrong ? ErrorCode.InvalidParams : ErrorCode.InternalError
    throw new McpError(isMissing ? RESOURCE_NOT_FOUND : protocolCode, `${code}: ${message}`)
  }
}

/** What the caller may know: its own errors as they are; ours are logged, and told barely. */
function knownError({ log, requestId }: Exchange, error: unknown): ServiceError {
  const known = toServiceError(error)
  if (known === null || known.code === 'storage_unavailable') {
    log.error({ err: error, requestId }, 'a tool failed')
  }
  if (known !== null) return known
  const message = `Something broke on our side. Tell the user this request id: ${requestId}.`
  return new ServiceError('internal_error', { message })
}

function progressOf(extra: Extra): { signal: AbortSignal; report: ReportProgress | null } {
  const progressToken = extra._meta?.progressToken
  if (progressToken === undefined) return { signal: extra.signal, report: null }
  const report: ReportProgress = (told) =>
    extra.sendNotification({
      method: 'notifications/progress',
      params: { ...told, progressToken },
    })
  return { signal: extra.signal, report }
}

function textBlocks(texts: readonly string[]) {
  return texts.map((text) => ({ type: 'text' as const, text }))
}
