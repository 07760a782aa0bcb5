import type { Document, Hit } from '../api/client.js';

const TITLES = ['title', 'name', 'label', 'heading', 'subject'];
const TEXTS = ['overview', 'description', 'summary', 'abstract', 'content', 'body', 'text'];
const IMAGES = /poster|image|img|picture|photo|thumb|cover|avatar|logo/i;
const IMAGE_FILE = /\.(avif|gif|jpe?g|png|svg|webp)(\?.*)?$/i;

/** What is drawn of a hit, the parts that people look for first. */
export interface HitParts {
  readonly title: string;
  readonly text: string | undefined;
  readonly image: string | undefined;
  /** Everything else, as text. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** Chooses what stands for a document by the names that documents usually have. */
export function partsOf(hit: Hit): HitParts {
  const formatted = hit._formatted ?? hit;
  const shown = Object.keys(hit).filter((name) => !name.startsWith('_'));
  const image = shown.find((name) => isImage(name, hit[name]));
  const title =
    firstOf(hit, TITLES) ?? shown.find((name) => typeof hit[name] === 'string' && name !== image);
  const text = firstOf(hit, TEXTS);
  const facts = shown
    .filter((name) => name !== title && name !== text && name !== image)
    .flatMap((name) => {
      const value = textOf(formatted[name]);
      return value === '' ? [] : [[name, value] as const];
    });
  return {
    title: title === undefined ? textOf(hit[shown[0] ?? '']) : textOf(formatted[title]),
    text: text === undefined ? undefined : textOf(formatted[text]) || undefined,
    image: image === undefined ? undefined : String(hit[image]),
    facts,
  };
}

function firstOf(document: Document, names: readonly string[]): string | undefined {
  return names.find((name) => typeof document[name] === 'string' && document[name] !== '');
}

function isImage(name: string, value: unknown): boolean {
  if (typeof value !== 'string' || !value.startsWith('https://')) return false;
  return IMAGES.test(name) || IMAGE_FILE.test(value);
}

/** Any value of a document as one line of text. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
