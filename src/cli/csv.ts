/** Rows of CSV; lists and objects stand in it as JSON. Types are those that an import reads back. */
export function csvOf(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
  hasHeader: boolean,
): string {
  const lines = rows.map((row) => columns.map((name) => cellOf(row[name])).join(','));
  const header = columns.map(quotedIfNeeded).join(',');
  return [...(hasHeader ? [header] : []), ...lines].map((line) => `${line}\n`).join('');
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return quotedIfNeeded(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

function quotedIfNeeded(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
