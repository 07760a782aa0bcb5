import { type Path, pathText } from './template-path.js';

/** The mark of an array whose first item is repeated for each text. */
const REPEAT = '{{..}}';

/** Where a template holds its value, and where it repeats. */
export interface JsonTemplate {
  readonly json: unknown;
  /** From the whole template, or from the repeated item when there is one. */
  readonly valuePath: Path;
  /** The array whose first item is repeated. */
  readonly repeatPath: Path | undefined;
}

/** Why JSON is no template. */
export class TemplateProblem extends Error {
  override readonly name = 'TemplateProblem';
}

interface Found {
  value: Path | undefined;
  repeat: Path | undefined;
}

/** Reads a template that holds `placeholder` once; `root` is its name in messages. */
export function readJsonTemplate(json: unknown, root: string, placeholder: string): JsonTemplate {
  const found: Found = { value: undefined, repeat: undefined };
  walk(json, [], false);
  if (found.value === undefined) {
    throw new TemplateProblem(`in \`${root}\`: "${placeholder}" not found`);
  }
  const { repeat, value } = found;
  if (repeat === undefined) return { json, valuePath: value, repeatPath: undefined };
  return { json, valuePath: value.slice(repeat.length + 1), repeatPath: repeat };

  function walk(node: unknown, path: Path, isRepeated: boolean): void {
    if (node === placeholder) {
      keepValue(path);
    } else if (node === REPEAT) {
      throw problem(path, `"${REPEAT}" appears outside of an array`);
    } else if (Array.isArray(node)) {
      walkArray(node, path, isRepeated);
    } else if (typeof node === 'object' && node !== null) {
      for (const [name, member] of Object.entries(node)) walk(member, [...path, name], isRepeated);
    }
  }

  function walkArray(items: readonly unknown[], path: Path, isRepeated: boolean): void {
    const mark = items.indexOf(REPEAT);
    if (mark === -1) {
      items.forEach((item, place) => {
        walk(item, [...path, place], isRepeated);
      });
      return;
    }
    if (mark !== 1) {
      throw problem(path, `"${REPEAT}" expected at position #1, but found at position #${mark}`);
    }
    if (isRepeated) {
      throw problem(path, `"${REPEAT}" appears nested inside of a value that is itself repeated`);
    }
    if (found.repeat !== undefined) {
      const first = pathText(root, found.repeat);
      throw problem(path, `Found "${REPEAT}", but it was already present in \`${first}\``);
    }
    walkRepeated(items, path);
  }

  function walkRepeated(items: readonly unknown[], path: Path): void {
    found.repeat = path;
    const before = found.value;
    walk(items[0], [...path, 0], true);
    if (found.value === before) {
      throw problem([...path, 0], `Expected "${placeholder}" inside of the repeated value`);
    }
    items.slice(2).forEach((item, place) => {
      walk(item, [...path, place + 2], false);
    });
  }

  function keepValue(path: Path): void {
    if (found.value !== undefined) {
      const first = pathText(root, found.value);
      throw problem(path, `Found "${placeholder}", but it was already present in \`${first}\``);
    }
    found.value = path;
  }

  function problem(path: Path, text: string): TemplateProblem {
    return new TemplateProblem(`in \`${pathText(root, path)}\`: ${text}`);
  }
}
