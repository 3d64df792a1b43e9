export default {
  testMatch: ['<rootDir>/*.spec.js'],
  // The suite is plain JavaScript modules: nothing is to be transformed.
  transform: {},
  testTimeout: 15_000,
}
