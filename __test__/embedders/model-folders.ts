import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FIXTURES = fileURLToPath(
  new URL('../../crates/transformer/tests/fixtures/', import.meta.url),
);

/** A small model that PyTorch has been asked about. */
export function fixture(name: string): string {
  return join(FIXTURES, name);
}

/** Texts with the vectors that PyTorch makes of them. */
export function expectedOf(name: string): { text: string; vector: number[] }[] {
  return JSON.parse(readFileSync(join(fixture(name), 'expected.json'), 'utf8'));
}

/** Puts a model into a folder of models. */
export function install(name: string, folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  cpSync(fixture(name), folder, { recursive: true });
}

/** Whether vectors are the same but for rounding. */
export function areNear(found: readonly number[], expected: readonly number[]): boolean {
  const isNear = (number: number, at: number) => Math.abs(number - (expected[at] ?? 9)) < 1e-4;
  return found.length === expected.length && found.every(isNear);
}
