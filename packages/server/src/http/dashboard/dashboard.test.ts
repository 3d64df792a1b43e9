import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { respondWithError } from '../error-response.ts'
import { serveDashboard } from './dashboard.ts'

const PAGE = '<!doctype html><title>Mayfly</title>'
const SCRIPT = `export const text = '${'x'.repeat(1_000)}'`
const HTML = { accept: 'text/html,*/*' }

describe('the dashboard', () => {
  let folder = ''
  let http: FastifyInstance

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-dashboard-'))
    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'index.html'), PAGE)
    await writeFile(join(folder, 'assets', 'main-ABC.js'), SCRIPT)
    await writeFile(join(folder, 'assets', 'main-ABC.js.map'), '{}')
    http = fastify().setErrorHandler(respondWithError)
    serveDashboard(http, pathToFileURL(`${folder}/`), () => ({ name: 'Mayfly' }))
  })

  after(async () => {
    await http.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('is a page that may load its own files alone', async () => {
    const page = await http.inject({ url: '/', headers: HTML })
    assert.deepEqual([page.statusCode, page.body], [200, PAGE])
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
    assert.match(policy, /require-trusted-types-for 'script'/)
    assert.ok(!policy.includes('unsafe'))
    assert.equal(page.headers['cache-control'], 'no-cache')
    assert.deepEqual((await http.inject({ url: '/' })).json(), { name: 'Mayfly' })
  })

  it('has compressed files that never change under their names', async () => {
    const get = (encoding: string) =>
      http.inject({ url: '/app/assets/main-ABC.js', headers: { 'accept-encoding': encoding } })
    const plain = await get('identity')
    assert.deepEqual([plain.body, plain.headers['content-encoding']], [SCRIPT, undefined])
    assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8')
    assert.match(String(plain.headers['cache-control']), /immutable/)
    const brotli = await get('gzip, deflate, br, zstd')
    assert.equal(brotli.headers['content-encoding'], 'br')
    assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), SCRIPT)
    const gzipped = await get('gzip;q=0.5, br;q=0')
    assert.equal(gzipped.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(gzipped.rawPayload).toString(), SCRIPT)
  })

  it('has no other files', async () => {
    for (const name of ['main-ABC.js.map', 'missing.js', '..%2findex.html', '%2e%2e', '']) {
      assert.equal((await http.inject({ url: `/app/assets/${name}` })).statusCode, 404, name)
    }
  })

  it('says how to build it when it is not built', async () => {
    const unbuilt = fastify().setErrorHandler(respondWithError)
    serveDashboard(unbuilt, null, () => ({}))
    const page = await unbuilt.inject({ url: '/', headers: HTML })
    assert.deepEqual([page.statusCode, page.body.split('\n').length], [503, 2])
    assert.match(page.body, /node packages\/dashboard\/build\.ts/)
    assert.equal((await unbuilt.inject({ url: '/app/assets/main-ABC.js' })).statusCode, 404)
    await unbuilt.close()
  })
})
