/** Bytes of the longest form: `urn:uuid:` before the hyphenated one. */
const LONGEST = 45;
const GROUP_LENGTHS = [8, 4, 4, 4, 12] as const;
const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A UUID in its hyphenated lower-case form, or what is wrong with the text. */
export type ReadUuid = { readonly uuid: string } | { readonly problem: string };

/** Reads a UUID of any version: hyphenated (also in braces or after `urn:uuid:`) or 32 digits. */
export function readUuid(text: string): ReadUuid {
  if (CANONICAL.test(text)) return { uuid: text.toLowerCase() };
  const { body, start, plain } = unwrapped(text);
  if (CANONICAL.test(body)) return { uuid: body.toLowerCase() };
  if (plain && /^[0-9a-f]{32}$/i.test(text)) {
    return { uuid: text.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') };
  }
  return { problem: problemOf(text, body, start, plain) };
}

function unwrapped(text: string): { body: string; start: number; plain: boolean } {
  if (/^\{.*\}$/s.test(text)) return { body: text.slice(1, -1), start: 1, plain: false };
  if (/^urn:uuid:/i.test(text)) return { body: text.slice(9), start: 9, plain: false };
  return { body: text, start: 0, plain: true };
}

function problemOf(text: string, body: string, start: number, plain: boolean): string {
  const bytes = Buffer.byteLength(text);
  if (bytes === 0 || bytes > LONGEST) return `invalid length: found ${bytes}`;
  const strange = /[^0-9a-f-]/iu.exec(body);
  if (strange !== null) {
    const place = start + Buffer.byteLength(body.slice(0, strange.index));
    return `invalid character: found \`${strange[0]}\` at ${place}`;
  }
  const groups = body.split('-');
  if (plain && groups.length === 1) return `invalid length: found ${bytes}`;
  if (groups.length !== GROUP_LENGTHS.length) {
    return `invalid group count: expected 5, found ${groups.length}`;
  }
  const wrong = groups.findIndex((group, at) => group.length !== GROUP_LENGTHS[at]);
  return `invalid group length in group ${wrong}: expected ${GROUP_LENGTHS[wrong]}, found ${groups[wrong]?.length}`;
}
