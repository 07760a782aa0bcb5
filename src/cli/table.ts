import { columnsOf } from './character-width.js';
import type { Terminal } from './terminal.js';

/** A column: its heading, and whether it holds numbers. */
export interface Column {
  readonly heading: string;
  readonly isNumber?: boolean;
  /** Never cut: what stands in it is copied and used. */
  readonly isWhole?: boolean;
}

const GAP = '  ';
/** Cells are never cut shorter than this. */
const LEAST_WIDTH = 8;

/** Prints rows under headings, cut where they do not fit the terminal. */
export function printTable(
  terminal: Terminal,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): void {
  const widths = fitted(
    columns.map(({ heading }, at) =>
      Math.max(widthOf(heading), ...rows.map((row) => widthOf(row[at] ?? ''))),
    ),
    columns.map(({ isWhole = false }) => !isWhole),
    terminal.columns,
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ isNumber = false }, at) =>
        padded(harmless(cells[at] ?? ''), widths[at] ?? 0, isNumber),
      )
      .join(GAP)
      .trimEnd();
  terminal.print(terminal.bold(line(columns.map(({ heading }) => heading))));
  for (const row of rows) terminal.print(painted(line(row), terminal));
}

/**
 * Stand around a part of a cell that is to be marked. They take no room. No text uses them, since they
 * are no characters, and JSON leaves them as they are.
 */
export const MARKS = { open: '\ufdd0', close: '\ufdd1' } as const;

const widthOf = (text: string): number =>
  [...text].reduce((sum, character) => sum + columnsOf(character), 0);

/** A text without what would move the cursor, or change the terminal otherwise. */
const harmless = (text: string): string => text.replaceAll(/\p{Cc}/gu, '\ufffd');

function painted(line: string, terminal: Terminal): string {
  const parts = line.split(MARKS.open).map((part, at) => {
    if (at === 0) return part;
    const end = part.indexOf(MARKS.close);
    return end === -1 ? part : terminal.marked(part.slice(0, end)) + part.slice(end + 1);
  });
  return parts.join('').replaceAll(MARKS.close, '');
}

/** Takes from the widest column that may be cut until all fit. */
function fitted(
  widths: readonly number[],
  mayBeCut: readonly boolean[],
  columns: number,
): number[] {
  const result = [...widths];
  const total = () => result.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  while (total() > columns) {
    const cuttable = result.map((width, at) => (mayBeCut[at] === true ? width : 0));
    const width = Math.max(...cuttable);
    const widest = cuttable.indexOf(width);
    if (width <= LEAST_WIDTH) break;
    result[widest] = width - 1;
  }
  return result;
}

function padded(text: string, width: number, isNumber: boolean): string {
  const cut = widthOf(text) > width ? `${start(text, width - 1)}…` : text;
  const space = ' '.repeat(width - widthOf(cut));
  return isNumber ? space + cut : cut + space;
}

/** The first characters of a text, with the marks that begin among them closed. */
function start(text: string, width: number): string {
  let room = width;
  let kept = '';
  for (const character of text) {
    room -= columnsOf(character);
    if (room < 0) break;
    kept += character;
  }
  return kept.lastIndexOf(MARKS.open) > kept.lastIndexOf(MARKS.close) ? kept + MARKS.close : kept;
}
