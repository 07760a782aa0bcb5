import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../scripts/build/stamp.mjs';

test('a fingerprint changes with content, names and words, and with nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'serval-stamp-'));
  try {
    const [first, second] = [join(folder, 'a.rs'), join(folder, 'b.rs')];
    await writeFile(first, 'fn a() {}');
    await writeFile(second, 'fn a() {}');
    const before = fingerprint([first], ['rustc 1']);

    expect(fingerprint([first], ['rustc 1'])).toBe(before);
    expect(fingerprint([second], ['rustc 1'])).not.toBe(before);
    expect(fingerprint([first], ['rustc 2'])).not.toBe(before);
    await writeFile(first, 'fn b() {}');
    expect(fingerprint([first], ['rustc 1'])).not.toBe(before);
  } finally {
    await rm(folder, { recursive: true });
  }
});
