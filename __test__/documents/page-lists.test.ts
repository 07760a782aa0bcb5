import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { DEFAULT_CHAT_SETTINGS, SOURCES } from '../../src/chats/chat-settings.js';
import { REPORT_TOOLS } from '../../src/chats/completion-request.js';
import { COMMANDS } from '../../src/cli/program.js';
import { OPTION_NAMES, variablesOf } from '../../src/config/options.js';
import { EMBEDDER_SOURCES } from '../../src/settings/embedder-schema.js';
import { markdownFiles } from './page-blocks.js';

const read = (path: string): string => readFileSync(inRoot(path), 'utf8');

/** What the first column of the rows of a page names, in backquotes. */
function rowsOf(page: string): string[] {
  return [...read(page).matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) =>
    cell.replaceAll('`', '').split(', '),
  );
}

test('the page about chats has rows for all sources and tools, and names all settings beside the source', () => {
  expect(rowsOf('docs/chat.md')).toEqual(
    expect.arrayContaining([...SOURCES, ...Object.values(REPORT_TOOLS)]),
  );
  const { prompts, ...own } = DEFAULT_CHAT_SETTINGS;
  const [, ...names] = [...Object.keys(own), ...Object.keys(prompts)];
  for (const name of names) {
    expect(read('docs/chat.md')).toContain(`\`${name}\``);
  }
});

test('the page about embedders has a row for every source', () => {
  expect(rowsOf('docs/embedders.md')).toEqual(expect.arrayContaining([...EMBEDDER_SOURCES]));
});

test('the variables that pages name are read, and those of the commands are named', () => {
  const ofCommands = COMMANDS.flatMap(({ options = {} }) =>
    Object.values(options).flatMap(({ variable }) => variable ?? []),
  );
  const known = new Set([...OPTION_NAMES.flatMap((name) => variablesOf(name)), ...ofCommands]);
  for (const page of markdownFiles()) {
    const named = read(page).match(/\bSVC_[A-Z0-9_]*[A-Z0-9]\b/g) ?? [];
    const unknown = named.filter((name) => !known.has(name) && !/_FUEL$/.test(name));
    expect([page, unknown]).toEqual([page, []]);
  }
  for (const name of ofCommands) expect(read('docs/command-line.md')).toContain(name);
});
