import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { csvOf } from '../../src/cli/csv.js';
import { documentsOfPage } from '../../src/cli/json-values.js';
import { type FileFormat, recordBatches } from '../../src/cli/records.js';

/** Numbers that look random and are the same every time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

const TEXTS = ['plain', 'a "quote"', 'line\nbreak', '\\', '\\"', ',', '[{', ']}', 'ünï 漢字', ''];

function documents(next: (below: number) => number) {
  return Array.from({ length: next(30) }, (_, id) => ({
    id,
    text: TEXTS[next(TEXTS.length)],
    list: [TEXTS[next(TEXTS.length)], { deep: [next(9)] }],
  }));
}

/** The bytes in pieces that end anywhere, also within a character. */
async function* pieces(bytes: Buffer, next: (below: number) => number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + next(40);
    yield bytes.subarray(at, end);
    at = end;
  }
}

async function batches(text: string, format: FileFormat, next: (below: number) => number) {
  const found: { text: string; documents: number }[] = [];
  for await (const batch of recordBatches(pieces(Buffer.from(text), next), format, 200)) {
    found.push({ text: batch.bytes.toString(), documents: batch.documents });
  }
  return found;
}

describe('cutting files into batches keeps every document', () => {
  test.each([
    ['a list', 'json', (rows: object[]) => JSON.stringify(rows)],
    ['a list for people', 'json', (rows: object[]) => JSON.stringify(rows, null, 2)],
    ['lines', 'ndjson', (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')],
    [
      'lines without a last end',
      'ndjson',
      (rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n\n'),
    ],
  ] as const)('%s', async (_, format, write) => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const next = numbers(seed);
      const rows = documents(next);
      const found = await batches(write(rows), format, next);
      const read = found.flatMap(({ text }) =>
        format === 'json' ? JSON.parse(text) : text.split('\n').map((line) => JSON.parse(line)),
      );

      expect(read).toEqual(rows);
      expect(found.reduce((sum, batch) => sum + batch.documents, 0)).toBe(rows.length);
    }
  });

  test('CSV, with its header in each batch', async () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const next = numbers(seed);
      const rows = documents(next).map(({ id, text }) => ({ id, text: text || 'x' }));
      const whole = csvOf(['id', 'text'], rows, true);
      const found = await batches(whole, 'csv', next);
      const bodies = found.map(({ text }) => `${text}\n`.replace(/^id,text\n/, ''));

      expect(found.every(({ text }) => text.startsWith('id,text\n'))).toBe(true);
      expect(bodies.join('')).toBe(csvOf(['id', 'text'], rows, false));
    }
  });

  test('a record that never ends, without copying all of it again for each piece', async () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from('id,t\n1,"');
      for (let at = 0; at < 1000; at += 1) yield piece;
    }
    const allocated = vi.spyOn(Buffer, 'allocUnsafe');
    onTestFinished(() => allocated.mockRestore());
    const found: Buffer[] = [];
    for await (const { bytes } of recordBatches(endless(), 'csv', 100)) found.push(bytes);
    const sum = allocated.mock.calls.reduce((bytes, [size]) => bytes + size, 0);

    expect(found.map((bytes) => bytes.length)).toEqual(['id,t\n1,"'.length + 1000 * piece.length]);
    expect(sum).toBeLessThan(6 * 1000 * piece.length);
  });

  test('one document that is no list', async () => {
    expect(await batches('{"id": 1}', 'json', numbers(1))).toEqual([
      { text: '[{"id": 1}]', documents: 1 },
    ]);
  });

  test('what is no JSON, for the server to refuse', async () => {
    const [batch] = await batches('[{"id": 1}, {"id": oops', 'json', numbers(1));
    expect(batch?.text).toContain('oops');
  });
});

describe('the documents of a page', () => {
  test('stand as they came, with numbers of any size', () => {
    const page =
      '{"results":[{"id":12345678901234567890,"t":"],\\"offset\\""},{"id":2}],"offset":0,"limit":20,"total":2}';
    const { documents: found, total } = documentsOfPage(Buffer.from(page));

    expect(found.map(String)).toEqual([
      '{"id":12345678901234567890,"t":"],\\"offset\\""}',
      '{"id":2}',
    ]);
    expect(total).toBe(2);
  });

  test('are found wherever the page names them', () => {
    const page = '{"total": 1, "results": [{"id": 1}], "offset": 0, "limit": 20}';
    const { documents: found, total } = documentsOfPage(Buffer.from(page));

    expect({ found: found.map(String), total }).toEqual({ found: ['{"id":1}'], total: 1 });
  });
});
