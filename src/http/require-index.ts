export { indexNotFound } from '../errors/not-found.js';
export { requireReader } from '../indexes/require-reader.js';
