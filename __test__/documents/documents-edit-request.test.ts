import { expect, test } from 'vitest';
import { contextOf, documentsEditSchema } from '../../src/documents/documents-edit-request.js';
import { decodeJson } from '../../src/validation/decode-json.js';

function contextIn(json: string): ReturnType<typeof contextOf> {
  const decoded = decodeJson(documentsEditSchema, Buffer.from(json));
  if ('problem' in decoded) throw new Error(decoded.problem.message);
  return contextOf(decoded.value);
}

test('a context keeps its numbers as they were written', () => {
  const context = '{"d":4.0,"deep":[{"id":12345678901234567},"x"]}';
  expect(contextIn(`{"function":"","context":${context}}`)).toEqual({
    context: { d: 4, deep: [{ id: 12_345_678_901_234_568 }, 'x'] },
    contextJson: context,
  });
});

test('a context whose numbers JavaScript holds is as it is', () => {
  const context = { d: 4.5, id: 7, name: '1.0' };
  expect(contextIn(JSON.stringify({ function: '', context }))).toEqual({ context });
  expect(contextIn('{"function":"","context":null}')).toEqual({ context: null });
  expect(contextIn('{"function":""}')).toEqual({ context: null });
});

test.each(['[1.0]', '1.0', '"x"', 'true', '[]'])('a context of %s is refused', (context) => {
  expect(() => contextIn(`{"function":"","context":${context}}`)).toThrow(
    'The context must be an object',
  );
});
