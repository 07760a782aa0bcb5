import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { OPTION_NAMES, variableOf } from '../../src/config/options.js';
import { render } from '../../src/config/options-document.js';

test('docs/options.md is what the table of options says, and lacks none', () => {
  const text = readFileSync(inRoot('docs', 'options.md'), 'utf8');
  expect(text).toBe(render());
  for (const name of OPTION_NAMES) expect(text).toContain(`\`${variableOf(name)}\``);
});
