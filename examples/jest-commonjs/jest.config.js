module.exports = {
  testMatch: ['<rootDir>/*.spec.js'],
  testTimeout: Number(process.env.TEST_TIMEOUT_MS ?? 15_000),
}
