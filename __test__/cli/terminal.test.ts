import { describe, expect, test } from 'vitest';
import { readBytes, shownBytes, shownCount, shownDuration } from '../../src/cli/amounts.js';
import { ProgressBar, progressText } from '../../src/cli/progress-bar.js';
import { MARKS, printTable } from '../../src/cli/table.js';
import { Terminal } from '../../src/cli/terminal.js';

/** A stream that keeps what is written, as a terminal or a file. */
function output(isTTY: boolean, columns = 80) {
  const written: string[] = [];
  return { isTTY, columns, write: (text: string) => written.push(text), written };
}

describe('colours', () => {
  test.each([
    ['are there on a terminal', true, {}, '\u001b[1mx\u001b[22m'],
    ['are not there in a file', false, {}, 'x'],
    ['are not there with NO_COLOR', true, { NO_COLOR: '1' }, 'x'],
    ['are there with an empty NO_COLOR', true, { NO_COLOR: '' }, '\u001b[1mx\u001b[22m'],
    ['are not there on a dumb terminal', true, { TERM: 'dumb' }, 'x'],
  ])('%s', (_, isTTY, env, text) => {
    expect(new Terminal(output(isTTY), output(true), env).bold('x')).toBe(text);
  });
});

test('a terminal that says to be of no width has the usual one', () => {
  const terminal = new Terminal(output(true, 0), output(true, 0), {});
  expect([terminal.columns, terminal.progressColumns]).toEqual([100, 100]);
});

describe('a table', () => {
  test('aligns its columns, numbers to the right', () => {
    const out = output(false);
    const columns = [{ heading: 'name' }, { heading: 'count', isNumber: true }];
    printTable(new Terminal(out, output(false), {}), columns, [
      ['a', '1,000'],
      ['longer', '2'],
    ]);
    expect(out.written.join('')).toBe('name    count\na       1,000\nlonger      2\n');
  });

  test('is cut to the width of the terminal, marks and all', () => {
    const out = output(true, 30);
    const marked = `some ${MARKS.open}words that are long${MARKS.close} in a cell`;
    printTable(
      new Terminal(out, output(true), {}),
      [{ heading: 'a' }, { heading: 'b' }],
      [['short', marked]],
    );
    expect(out.written.at(-1)).toBe('short  some \u001b[33mwords that are lo\u001b[39m…\n');
  });
});

describe('a cell of a table', () => {
  const printed = (columns: number, cells: readonly string[], isWhole = false) => {
    const out = output(true, columns);
    const headings = [{ heading: 'a', isWhole }, { heading: 'b' }];
    printTable(new Terminal(out, output(true), { NO_COLOR: '1' }), headings, [cells]);
    return out.written.at(-1);
  };

  test('is as wide as a terminal shows it', () => {
    expect(printed(40, ['日本語', 'x'])).toBe('日本語  x\n');
    expect(printed(20, ['日本語日本語日本語', 'x'])).toBe('日本語日本語日本…  x\n');
    expect(printed(40, ['e\u0301', 'x'])).toBe('e\u0301  x\n');
  });

  test('changes nothing of the terminal', () => {
    expect(printed(40, ['\u001b[2J', '\u0007\n'])).toBe('\ufffd[2J  \ufffd\ufffd\n');
  });

  test('is not cut where it is to be copied', () => {
    expect(printed(12, ['0123456789abc', 'long enough'], true)).toBe('0123456789abc  long en…\n');
  });
});

describe('progress', () => {
  test('shows how much is done, how fast, and how long it will take', () => {
    const text = progressText({ done: 25e6, total: 100e6, elapsed: 5000, shown: shownBytes });
    expect(text).toBe('[======>                 ]  25%  25.0 MB of 100.0 MB  5.0 MB/s  0:15 left');
    expect(progressText({ done: 10, total: undefined, elapsed: 1000, shown: shownCount })).toBe(
      '10  10/s',
    );
    expect(progressText({ done: 0, total: 0, elapsed: 1, shown: shownCount })).toContain('100%');
  });

  test('is drawn some times a second at most, and goes in the end', () => {
    const err = output(true);
    let now = 0;
    const bar = new ProgressBar(new Terminal(output(true), err, {}), 'x', shownCount, () => now);
    for (; now < 1000; now += 10) bar.update(now, 1000);
    bar.end();

    expect(err.written).toHaveLength(11);
    expect(err.written.at(-1)).toBe('\r\u001b[2K');
  });

  test('is not drawn where nobody watches', () => {
    const err = output(false);
    const bar = new ProgressBar(new Terminal(output(true), err, {}), 'x', shownCount);
    bar.update(1, 2);
    bar.end();
    expect(err.written).toEqual([]);
  });
});

test('amounts are read and shown for people', () => {
  expect(['16MB', '1.5 KiB', '7', '2g', 'x', '3TBB'].map(readBytes)).toEqual([
    16e6,
    1536,
    7,
    2e9,
    undefined,
    undefined,
  ]);
  expect([0, 999, 1500, 2.5e9].map(shownBytes)).toEqual(['0 B', '999 B', '1.5 kB', '2.5 GB']);
  expect([0, 61_000, 3_600_000].map(shownDuration)).toEqual(['0:00', '1:01', '60:00']);
});
