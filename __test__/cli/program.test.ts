import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { EXIT } from '../../src/cli/exit-code.js';
import { COMMANDS } from '../../src/cli/program.js';
import { helpText } from '../../src/config/help-text.js';
import { serval, workFolder } from './run-cli.js';

const run = promisify(execFile);

describe('help', () => {
  test('of the whole names every command, and so does that of the server', async () => {
    const { code, out } = await serval(['help']);
    expect(code).toBe(0);
    for (const { name, summary } of COMMANDS) {
      expect(out).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
      expect(helpText()).toContain(name);
    }
  });

  test('of the whole names every exit status, and so does the page about the command line', async () => {
    const { code, out } = await serval(['help', '--help']);
    const page = readFileSync(inRoot('docs/command-line.md'), 'utf8');
    const statuses = (pattern: RegExp, text: string) =>
      [...text.matchAll(pattern)].map(([, status]) => Number(status));

    expect(code).toBe(0);
    expect(statuses(/(\d+) [a-z]/g, out.slice(out.indexOf('Exit status')))).toEqual(
      Object.values(EXIT),
    );
    expect(statuses(/^\| (\d+) \|/gm, page)).toEqual(Object.values(EXIT));
  });

  test.each(COMMANDS.map(({ name }) => name))('of %s names its options', async (name) => {
    const { code, out, err } = await serval([name, '--help']);
    const command = COMMANDS.find((one) => one.name === name);

    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const option of Object.keys(command?.options ?? {})) expect(out).toContain(`--${option}`);
    expect(out).not.toContain('\u001b');
    expect((await serval(['help', name])).out).toBe(out);
  });

  test('of the server is the same with and without its name', async () => {
    const [named, plain] = await Promise.all([serval(['serve', '--help']), serval(['--help'])]);
    expect(named).toEqual(plain);
    expect(plain.out).toContain('--http-addr');
  });
});

test('a command that is none is refused, with the one that was meant', async () => {
  const { code, out, err } = await serval(['improt', 'x.json']);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toBe(
    'serval: unknown command improt, did you mean import?\nserval help lists all commands.\n',
  );
});

describe('completions', () => {
  test('of bash complete commands and options', async () => {
    const cwd = workFolder();
    const { out } = await serval(['completions', 'bash']);
    writeFileSync(join(cwd, 'serval'), out);
    const complete = async (...words: string[]): Promise<string[]> => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const script = `source ./serval; COMP_WORDS=(serval ${line}); COMP_CWORD=${words.length}; _serval; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout } = await run('bash', ['--norc', '-c', script], { cwd });
      return stdout.trim().split('\n');
    };

    expect(await complete('i')).toEqual(['import']);
    expect(await complete('')).toEqual(expect.arrayContaining(['serve', 'bench', 'keys']));
    expect(await complete('import', '--from')).toEqual(['--from', '--from-key']);
    expect(await complete('--http-a')).toEqual(['--http-addr']);
    expect(await complete('serve', '--mas')).toEqual(['--master-key']);
    expect(await complete('keys', 'cr')).toEqual(['create']);
    expect(await complete('keys', 'create', 'cr')).toEqual(['']);
    expect(await complete('help', 'imp')).toEqual(['import']);
    expect(await complete('completions', '')).toEqual(expect.arrayContaining(['bash', 'fish']));
    expect(await complete('import', '--format', 'n')).toEqual(['ndjson']);
    // Files, which bash itself completes.
    expect(await complete('bench', 'uid', '--queries', '')).toEqual(['']);
  });

  test.each(['zsh', 'fish'])('of %s name every command and option', async (shell) => {
    const { code, out } = await serval(['completions', shell]);
    expect(code).toBe(0);
    for (const { name, options, firstWords = [] } of COMMANDS) {
      expect(out).toContain(name);
      expect(out).toContain(firstWords.join(' '));
      for (const option of Object.keys(options)) expect(out).toMatch(`${option}`);
    }
  });

  test('of another shell are not there', async () => {
    expect(await serval(['completions', 'cmd'])).toMatchObject({ code: 2 });
  });
});

test('the commands against a server load neither the server nor the engine', async () => {
  const program = `
    process.argv = [process.argv[0], 'serval', 'help'];
    await import(${JSON.stringify(new URL('../../dist/cli.js', import.meta.url).pathname)});
    process.stderr.write(JSON.stringify(process.report.getReport().sharedObjects));`;
  const { stderr } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stderr).not.toContain('serval.');
});
