import { afterEach, beforeEach, vi } from 'vitest';

const METHODS = ['log', 'info', 'warn', 'error', 'debug'] as const;

beforeEach(() => {
  for (const method of METHODS) vi.spyOn(console, method).mockImplementation(refuse(method));
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** A library that prints cannot be embedded quietly, so any output of the code under test fails the test. */
function refuse(method: string) {
  return (...values: unknown[]) => {
    throw new Error(`console.${method} was called: ${values.map(String).join(' ')}`);
  };
}
