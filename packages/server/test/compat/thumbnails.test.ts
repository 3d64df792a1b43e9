import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { constants, deflateRawSync, deflateSync } from 'node:zlib'
import { MailpitClient } from 'mailpit-api'
import { createApiClient } from '../testing-api-client.ts'
import { GIF, RED_BLUE, writePng, writeScans } from '../testing-images.ts'
import { LOOP_MS_MAX, readLoopMeter } from '../testing-loop-meter.ts'
import { startMeasuredServer } from '../testing-measured-server.ts'
import { shared } from '../testing-shared.ts'
import type { TestService } from '../testing-start-service.ts'
import { startTcpServer } from '../testing-tcp-server.ts'
import { until } from '../testing-until.ts'
import { send, startCatchAll } from './testing-catch-all.ts'

type File = { readonly filename: string; readonly content: Buffer; readonly contentType?: string }

const RED = [220, 30, 30] as const
const PNG = writePng({ width: 200, height: 150, pixel: () => RED })

/** Sends the files in a mail, and returns the calls that read their thumbnails. */
async function sendFiles(
  service: Pick<TestService, 'httpUrl' | 'smtpPort'>,
  files: readonly File[],
): Promise<readonly string[]> {
  await send(service, { to: 'ada@elsewhere.example', text: 'Hello', attachments: [...files] })
  const { ID, Attachments } = await new MailpitClient(service.httpUrl).getMessageSummary()
  return files.map(({ filename }) => {
    const part = Attachments.find(({ FileName }) => FileName === filename)
    return `/api/v1/message/${ID}/part/${part?.PartID}/thumb`
  })
}

async function readThumbnail(url: string): Promise<Buffer> {
  const response = await fetch(url)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'image/jpeg')
  const jpeg = Buffer.from(await response.arrayBuffer())
  // Height and width follow the marker of the frame, its length and its precision.
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0])) + 5
  assert.deepEqual([jpeg.readUInt16BE(frame + 2), jpeg.readUInt16BE(frame)], [180, 120])
  return jpeg
}

describe('thumbnails', () => {
  it('are of the images, and white for anything else', async () => {
    await using service = await startCatchAll()
    await using referred = await startTcpServer()
    const url = `http://127.0.0.1:${referred.port}/a.png`
    const svg = Buffer.from(
      `<?xml-stylesheet href="${url}"?><!DOCTYPE svg [<!ENTITY a SYSTEM "${url}">]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="${url}"/>&a;</svg>`,
    )
    const paths = await sendFiles(service, [
      { filename: 'none.pdf', content: Buffer.from('%PDF-1.7 test') },
      { filename: 'broken.png', content: PNG.subarray(0, 60) },
      // The type counts, as in Mailpit.
      { filename: 'a.bin', content: PNG, contentType: 'application/octet-stream' },
      { filename: 'a.gif', content: GIF },
      { filename: 'a.svg', content: svg, contentType: 'image/svg+xml' },
      { filename: 'a.png', content: PNG },
      { filename: 'a.jpg', content: RED_BLUE.progressiveJpeg },
      { filename: 'a.webp', content: RED_BLUE.losslessWebp },
      // What the bytes are, and not what the name says.
      { filename: 'png.gif', content: PNG, contentType: 'image/gif' },
    ])
    const thumbnails = await Promise.all(
      paths.map((path) => readThumbnail(`${service.httpUrl}${path}`)),
    )
    const [white, broken, binary, gif, drawing, ...images] = thumbnails
    assert.deepEqual([broken, binary, gif, drawing], [white, white, white, white])
    assert.equal(referred.connections(), 0)
    for (const image of images) assert.notDeepEqual(image, white)
    const [png, jpg, webp, renamed] = images
    assert.deepEqual(renamed, png)
    // Both have the same two halves; their decoders differ a little.
    assert.ok(Math.abs((jpg?.length ?? 0) - (webp?.length ?? 0)) < 200)
    assert.notDeepEqual(jpg, png)
    const [path = ''] = paths
    const missing = path.replace(/\d+\/thumb$/, '99/thumb')
    assert.equal((await fetch(`${service.httpUrl}${missing}`)).status, 404)
  })
})

/** 16 MB of zeros, compressed; it can be repeated. */
const ZEROS = deflateRawSync(Buffer.alloc(16_000_000), { finishFlush: constants.Z_FULL_FLUSH })

type Worst = File & { readonly endsThread: boolean }

/** Much work for few bytes. */
const WORST: Readonly<Record<string, Worst>> = {
  'a PNG of 60,000 by 60,000': {
    filename: 'large.png',
    content: writePng({
      ...{ width: 60_000, height: 60_000, pixel: () => [0] },
      data: deflateSync(Buffer.alloc(20_000_000)),
    }),
    endsThread: false,
  },
  'a PNG with 16 GB more than its pixels': {
    filename: 'long.png',
    content: writePng({
      ...{ width: 1, height: 1, pixel: () => [0] },
      data: Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array<Buffer>(1_000).fill(ZEROS)]),
    }),
    endsThread: true,
  },
  'a JPEG of 2,000 scans': {
    filename: 'scans.jpg',
    content: writeScans(4_400, 2_000),
    endsThread: true,
  },
}

/** How often the thread of images was ended, by the log. */
function countEnded(log: string): number {
  return log.split('"call":"composeThumbnail').length - 1
}

describe('the worst images', () => {
  const start = shared(async (resources) => {
    const { server, ...service } = await startMeasuredServer(resources, { MAYFLY_CATCH_ALL: 'on' })
    // The first calls load modules and start threads, whatever the image.
    const [path = ''] = await sendFiles(service, [{ filename: 'a.png', content: PNG }])
    await readThumbnail(`${service.httpUrl}${path}`)
    return { server, service, api: createApiClient(service.httpUrl, null) }
  })

  for (const [name, file] of Object.entries(WORST)) {
    it(`hold neither the API nor other calls, nor other images: ${name}`, async () => {
      const { server, service, api } = await start()
      const paths = await sendFiles(service, [file, { filename: 'a.png', content: PNG }])
      const endedBefore = countEnded(server.output())
      await readLoopMeter(server)
      let isDone = false
      const reading = Promise.all(
        paths.map((path) => readThumbnail(`${service.httpUrl}${path}`)),
      ).finally(() => {
        isDone = true
      })
      // Its content is read by the thread that reads all content but images.
      let calls = 0
      await until(async () => {
        assert.equal((await api.get('/api/v1/message/latest')).status, 200)
        calls += 1
        return isDone ? true : null
      })
      const [worst, other] = await reading
      assert.notDeepEqual(worst, other)
      const loopMs = await readLoopMeter(server)
      assert.ok(loopMs < LOOP_MS_MAX, `${loopMs} ms`)
      assert.equal(countEnded(server.output()) - endedBefore, file.endsThread ? 1 : 0)
      if (file.endsThread) assert.ok(calls > 10, `${calls} calls while it was decoded`)
    })
  }
})
