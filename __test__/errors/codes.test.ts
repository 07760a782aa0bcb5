import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ApiError, errorBody } from '../../src/errors/api-error.js';
import { ERROR_CODES, isErrorCode } from '../../src/errors/codes.js';
import { render } from '../../src/errors/errors-document.js';

test('the document of errors is that of the table (npm run generate)', () => {
  expect(readFileSync('docs/errors.md', 'utf8')).toBe(render());
});

test('every code is lower-case words joined by underscores, with a status of an error', () => {
  for (const [code, { status, doc }] of Object.entries(ERROR_CODES)) {
    expect(code).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(doc).not.toBe('');
  }
});

test('the table holds all codes of the interface', () => {
  expect(Object.keys(ERROR_CODES)).toHaveLength(288);
});

test('an error body has its keys in the order of the wire, and links to its code', () => {
  expect(JSON.stringify(errorBody('index_not_found', 'Index `a` not found.'))).toBe(
    '{"message":"Index `a` not found.","code":"index_not_found","type":"invalid_request","link":"https://serval.dev/docs/errors#index_not_found"}',
  );
});

test('an error knows the status of its code', () => {
  expect(new ApiError('too_many_search_requests', 'later').status).toBe(503);
});

test('only codes of the table are codes', () => {
  expect(isErrorCode('internal')).toBe(true);
  expect(isErrorCode('toString')).toBe(false);
});
