import fc from 'fast-check';
import { BLOCK } from './dump-archives.js';

/** A file of a dump; a link when its kind is one. */
export interface DumpFile {
  readonly path: string;
  readonly content: Buffer;
  /** Type of the entry in the archive: `0` a file, `1` and `2` links, `5` a folder. */
  readonly kind?: string;
}

/** Makes other files of the files of a dump. */
export type Mutation = (files: readonly DumpFile[]) => DumpFile[];

/** Stands for a text that `JSON.stringify` would not write. */
const RAW = '@raw@';

const DEEP = 20_000;
const rawText = fc.constantFrom(
  '1e999',
  '-1e999',
  '-0',
  '1e308',
  '9007199254740993',
  '123456789012345678901234567890',
  '0.1e-400',
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  `"${'\\u0000'}"`,
  '"\\ud800"',
  'NaN',
  '"',
  '',
);

const PATHS = [
  '../outside',
  '/tmp/serval-outside',
  'indexes/../../outside',
  'indexes/..',
  'indexes/books/../../../outside',
  'tasks/update_files/../../../outside',
  'metadata.json/inside',
  'indexes',
  'indexes/books',
  '.',
  '',
  './metadata.json',
  'indexes//books/metadata.json',
  'indexes\\..\\outside',
  'chat-completions-settings/..json',
  'chat-completions-settings/%2e%2e.json',
  'chat-completions-settings/%ff.json',
  'extracted/metadata.json',
  'server.sqlite',
  'VERSION',
  'x'.repeat(99),
  'ä\u202e/\u0001',
];

const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 2 ** 32, 2 ** 53, '', [], {}),
  fc.constantFrom<unknown>('../..', '\u0000', 'x'.repeat(100_000), '*', 'books', 'V6', 'V1'),
  fc.constantFrom<unknown>('2024-01-01T00:00:00Z', '+275760-09-13T00:00:00Z', '0000-00-00', 'now'),
  fc.constantFrom<unknown>('succeeded', 'enqueued', 'processing', 'documentDeletion', 'indexSwap'),
  fc.constant(JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}')),
  fc.constant(Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`k${n}`, n]))),
  fc.constant(RAW),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Finer than there are bytes in most files. */
const PLACES = 100_003;

/** Where something is, as a part of the whole. */
const place = fc.nat(PLACES - 1).map((nth) => nth / PLACES);
const at = (of: number, part: number) => Math.floor(of * part);

/** Changes one file of those that `suits` lets through. */
function ofOneFile(
  which: number,
  suits: (file: DumpFile) => boolean,
  change: (file: DumpFile) => DumpFile[],
): Mutation {
  return (files) => {
    const fitting = files.filter(suits);
    const chosen = fitting[at(fitting.length, which)];
    return files.flatMap((file) => (file === chosen ? change(file) : [file]));
  };
}

const withContent = (file: DumpFile, content: Buffer | string): DumpFile[] => [
  { ...file, content: Buffer.from(content) },
];

const isText = ({ path, content }: DumpFile) => /\.jsonl?$/.test(path) && content.length > 0;

const bytes: fc.Arbitrary<Mutation> = fc
  .record({
    which: place,
    where: fc.array(place, { minLength: 1, maxLength: 4 }),
    byte: fc.nat(255),
  })
  .map(({ which, where, byte }) =>
    ofOneFile(which, isText, (file) => {
      const content = Buffer.from(file.content);
      for (const part of where) content[at(content.length, part)] = byte;
      return withContent(file, content);
    }),
  );

const lines: fc.Arbitrary<Mutation> = fc
  .record({
    which: place,
    line: place,
    cut: place,
    how: fc.constantFrom('cut', 'drop', 'twice', 'first', 'join', 'garbage', 'end of the file'),
  })
  .map(({ which, line, cut, how }) =>
    ofOneFile(which, isText, (file) => {
      const text = file.content.toString();
      if (how === 'end of the file') return withContent(file, text.slice(0, at(text.length, cut)));
      const all = text.split('\n').filter((one) => one !== '');
      const number = at(all.length, line);
      const one = all[number] ?? '';
      const changed = {
        cut: [one.slice(0, at(one.length, cut))],
        drop: [],
        twice: [one, one],
        first: [all[0] ?? ''],
        join: [`${one}${one}`],
        garbage: ['\ufeff{', one],
      }[how];
      return withContent(file, `${all.toSpliced(number, 1, ...changed).join('\n')}\n`);
    }),
  );

const whole: fc.Arbitrary<Mutation> = fc
  .record({
    which: place,
    path: fc.constantFrom(...PATHS),
    kind: fc.constantFrom('0', '1', '2', '3', '5', '6', 'g', 'x', 'L'),
    how: fc.constantFrom('gone', 'empty', 'copied', 'moved', 'twice', 'linked'),
  })
  .map(({ which, path, kind, how }) =>
    ofOneFile(
      which,
      () => true,
      (file) =>
        ({
          gone: [],
          empty: withContent(file, ''),
          copied: [file, { ...file, path }],
          moved: [{ ...file, path }],
          twice: [file, file],
          linked: [{ ...file, kind }],
        })[how],
    ),
  );

const members: fc.Arbitrary<Mutation> = fc
  .record({
    which: place,
    line: place,
    steps: fc.array(place, { minLength: 1, maxLength: 5 }),
    how: fc.constantFrom('replaced', 'replaced', 'removed', 'added'),
    value,
    raw: rawText,
  })
  .map(({ which, line, steps, how, value, raw }) =>
    ofOneFile(which, isText, (file) => {
      const all = file.content.toString().split('\n');
      const number = at(Math.max(1, all.length - 1), line);
      let changed: string;
      try {
        const root: unknown = JSON.parse(all[number] ?? '');
        changed = JSON.stringify(changedAt(root, steps, { how, value })) ?? 'null';
      } catch {
        // An earlier change has left no JSON, or one that is too deep to be changed.
        return [file];
      }
      all[number] = changed.replaceAll(`"${RAW}"`, () => raw);
      return withContent(file, all.join('\n'));
    }),
  );

/** A value with one of its members, so deep inside, changed. */
function changedAt(
  root: unknown,
  [step = 0, ...rest]: readonly number[],
  change: { how: string; value: unknown },
): unknown {
  if (typeof root !== 'object' || root === null) return change.value;
  const names = Object.keys(root);
  const name = names[at(names.length, step)];
  const copy: Record<string, unknown> | unknown[] = Array.isArray(root) ? [...root] : { ...root };
  const target = copy as Record<string, unknown>;
  if (name === undefined || (rest.length === 0 && change.how === 'added')) {
    target.unexpected = change.value;
  } else if (rest.length === 0 && change.how === 'removed') {
    if (Array.isArray(copy)) copy.splice(Number(name), 1);
    else delete target[name];
  } else {
    target[name] = rest.length === 0 ? change.value : changedAt(target[name], rest, change);
  }
  return copy;
}

/** One to three changes of a dump. */
export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: bytes },
    { weight: 2, arbitrary: lines },
    { weight: 2, arbitrary: whole },
    { weight: 6, arbitrary: members },
  ),
  { minLength: 1, maxLength: 3 },
);

/** An uncompressed archive of files. */
export function archiveOf(files: readonly DumpFile[]): Buffer {
  const parts = files.flatMap(({ path, content, kind = '0' }) => {
    const isLink = kind === '1' || kind === '2';
    const size = isLink || kind === '5' ? 0 : content.length;
    const header = Buffer.alloc(BLOCK);
    const octal = (number: number, length: number) =>
      `${number.toString(8).padStart(length, '0')}\0`;
    header.write(path, 0, 100);
    header.write(octal(0o644, 7), 100);
    header.write(octal(0, 7), 108);
    header.write(octal(0, 7), 116);
    header.write(octal(size, 11), 124);
    header.write(octal(0, 11), 136);
    header.write(`        ${kind}`, 148);
    if (isLink) header.write('../../../outside', 157);
    header.write('ustar\x0000', 257, 'latin1');
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const padding = Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
    return [header, content.subarray(0, size), padding];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}
