export default {
  testMatch: ['<rootDir>/*.spec.js'],
  // The suite is plain JavaScript modules: nothing is to be transformed.
  transform: {},
  testTimeout: Number(process.env.TEST_TIMEOUT_MS ?? 15_000),
}
