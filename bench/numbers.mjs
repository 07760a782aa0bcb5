// Percentiles and Markdown tables.

/**
 * Nearest-rank percentile; NaN for an empty list.
 * @param {number[]} values in any order
 * @param {number} percent
 */
export function percentile(values, percent) {
  const sorted = Float64Array.from(values).sort();
  const rank = Math.ceil((percent / 100) * sorted.length) - 1;
  return sorted[Math.max(0, rank)] ?? Number.NaN;
}

/**
 * @param {number | null | undefined} value
 * @param {number} [decimals]
 */
export function show(value, decimals = 2) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  return value >= 1000 ? Math.round(value).toLocaleString('en-US') : value.toFixed(decimals);
}

/**
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function markdownTable(head, rows) {
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
