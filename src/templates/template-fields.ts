import type { TemplateField } from '../native/template.js';

/** The fields of a document as templates see them, by the dotted names of its members. */
export function templateFields(
  document: unknown,
  indexFields: readonly string[],
  searchable: readonly string[],
): TemplateField[] {
  const names = new Set(indexFields);
  walk(document, '');
  return [...names].map((name) => ({ name, isSearchable: isSearchable(name, searchable) }));

  function walk(value: unknown, lead: string): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [name, member] of Object.entries(value)) {
      names.add(`${lead}${name}`);
      walk(member, `${lead}${name}.`);
    }
  }
}

function isSearchable(name: string, searchable: readonly string[]): boolean {
  return searchable.some((one) => one === '*' || one === name || name.startsWith(`${one}.`));
}
