/**
 * The name of each HTTP status.
 *
 * Not imported: an import of `node:http` reads all its exports, and one of them loads Node's
 * WebSocket client, which takes 2 MB.
 */
export const { STATUS_CODES } = process.getBuiltinModule('node:http')
