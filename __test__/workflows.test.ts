import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot } from '../scripts/paths.mjs';
import { sourceFiles } from './source-files.js';

const workflows = sourceFiles('.github/workflows', '.yml');
const release = workflows.find(({ path }) => path.endsWith('/release.yml'))?.text ?? '';
const { napi } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));

test('the release builds the addon of every target', () => {
  const built = [...release.matchAll(/\{ target: ([\w-]+),/g)].map(([, target]) => target);
  expect(built.sort()).toEqual([...napi.targets].sort());
});

test('nothing is published but from a tag, after the gates and a trial of the tarballs', () => {
  const publish = release.slice(release.indexOf('\n  publish:'));
  expect(publish).toContain("if: github.ref_type == 'tag'");
  expect(publish).toContain('needs: [gates, try, try-musl]');
  expect(publish).toContain('id-token: write');
  expect(release.slice(0, release.indexOf('\n  publish:'))).not.toContain('secrets.');
});

test.each(workflows)('$path names actions by commit and scripts that exist', ({ text }) => {
  const actions = [...text.matchAll(/uses: (\S+)/g)].map(([, action = '']) => action);
  const moving = actions.filter((name) => !/@[0-9a-f]{40}$/.test(name) && !name.startsWith('./'));
  const scripts = [...text.matchAll(/(?:scripts|\.ci)\/[\w./-]+/g)].map(([path]) => path);

  expect(actions).not.toEqual([]);
  expect(moving).toEqual([]);
  expect(scripts.filter((path) => !existsSync(inRoot(path)))).toEqual([]);
});

test.each(workflows)('$path may only read, but for the job that publishes', ({ text }) => {
  expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
  const writing = [...text.matchAll(/: write$/gm)];
  expect(writing).toHaveLength(text === release ? 1 : 0);
});
