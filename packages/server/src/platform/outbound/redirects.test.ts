import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nextHop } from './http-client.ts'
import type { Hop } from './http-request.ts'

const POST: Hop = {
  method: 'POST',
  url: 'https://a.example/path/page?x=1',
  headers: {
    accept: '*/*',
    authorization: 'Bearer secret',
    cookie: 'a=b',
    'content-type': 'application/json',
    'user-agent': 'test',
    'x-service-signature': 'abc',
  },
  body: '{}',
}
const GET: Hop = { ...POST, method: 'GET', body: null }

describe('redirects', () => {
  for (const status of [200, 201, 204, 300, 304, 305, 306, 309, 400, 500]) {
    it(`takes ${status} for an answer, with or without Location`, () => {
      assert.equal(nextHop(GET, status, '/next'), null)
    })
  }

  for (const status of [301, 302, 303, 307, 308]) {
    it(`takes ${status} without Location for an answer`, () => {
      assert.equal(nextHop(GET, status, undefined), null)
    })

    it(`follows ${status} of a GET with a GET`, () => {
      const next = nextHop(GET, status, '/next')
      assert.equal(next?.method, 'GET')
      assert.equal(next?.url, 'https://a.example/next')
    })
  }

  for (const status of [301, 302, 303]) {
    it(`turns a POST into a GET without body at ${status}`, () => {
      const next = nextHop(POST, status, '/next')
      assert.equal(next?.method, 'GET')
      assert.equal(next?.body, null)
      assert.equal(next?.headers['content-type'], undefined)
      assert.equal(next?.headers['authorization'], 'Bearer secret')
    })
  }

  for (const status of [307, 308]) {
    it(`repeats a POST at ${status}`, () => {
      assert.deepEqual(nextHop(POST, status, '/next'), {
        ...POST,
        url: 'https://a.example/next',
      })
    })
  }

  const LOCATIONS: readonly (readonly [location: string, url: string, isSameOrigin: boolean])[] = [
    ['next', 'https://a.example/path/next', true],
    ['?y=2', 'https://a.example/path/page?y=2', true],
    ['https://A.example:443/', 'https://a.example/', true],
    ['//b.example/', 'https://b.example/', false],
    ['http://a.example/', 'http://a.example/', false],
    ['https://a.example:8443/', 'https://a.example:8443/', false],
    ['https://sub.a.example/', 'https://sub.a.example/', false],
    ['\\\\b.example\\', 'https://b.example/', false],
    ['ftp://a.example/', 'ftp://a.example/', false],
    ['http://[::1%25lo]/', 'http://[::1%25lo]/', false],
  ]
  for (const [location, url, isSameOrigin] of LOCATIONS) {
    it(`${isSameOrigin ? 'keeps' : 'drops'} what is private on the way to ${location}`, () => {
      const next = nextHop(POST, 307, location)
      assert.equal(next?.url, url)
      const crossOrigin = {
        accept: '*/*',
        'content-type': 'application/json',
        'user-agent': 'test',
      }
      assert.deepEqual(next?.headers, isSameOrigin ? POST.headers : crossOrigin)
    })
  }
})
