export { indexNotFound, requireReader } from '../indexes/require-reader.js';
