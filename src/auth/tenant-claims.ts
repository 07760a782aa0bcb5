import { readTenantRules, type TenantRules } from './tenant-rules.js';

/** What a tenant token grants. */
export interface TenantClaims {
  readonly rules: TenantRules;
  /** Seconds of the epoch up to which it holds; `undefined` when it has no end. */
  readonly endsAt: number | undefined;
}

/** Reads the claims of a token from its JSON, or says what is wrong and where. */
export function claimsOf(
  json: string,
): { readonly claims: TenantClaims } | { readonly problem: string } {
  const claims = JSON.parse(json) as Record<string, unknown>;
  for (const { name, value, end } of members(json)) {
    const problem = memberProblem(name, value);
    if (problem === undefined) continue;
    // A value of the wrong kind shows at its end; rules only once they were read as a whole.
    const seen = name === 'searchRules' && /^\s*\}/.test(json.slice(end)) ? json.length : end;
    return { problem: `${problem} at ${position(json, seen)}` };
  }
  const rules = readTenantRules(claims.searchRules);
  if (rules === undefined) {
    return { problem: `missing field \`searchRules\` at ${position(json, json.length)}` };
  }
  return { claims: { rules, endsAt: (claims.exp as number | null | undefined) ?? undefined } };
}

function memberProblem(name: string, value: unknown): string | undefined {
  if (name === 'searchRules' && readTenantRules(value) === undefined) {
    return 'data did not match any variant of untagged enum SearchRules';
  }
  if (name === 'exp' && value !== null && !isSeconds(value)) {
    return `invalid type: ${foundType(value)}, expected i64`;
  }
  return undefined;
}

/** Whether a number is whole and has room in 64 bits: a time too far away to matter is one, too. */
function isSeconds(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(value as number) < 2 ** 63;
}

function foundType(value: unknown): string {
  if (typeof value === 'string') return `string ${JSON.stringify(value)}`;
  if (typeof value === 'boolean') return `boolean \`${value}\``;
  if (typeof value === 'number') return `floating point \`${value}\``;
  return Array.isArray(value) ? 'sequence' : 'map';
}

/** A string, a bracket or a comma, or a run of anything else, of a JSON text. */
const PIECE = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^"{}[\],:]+/gs;

/** The members of a JSON object in the order of its text, each with the place where it ends. */
function members(json: string): { name: string; value: unknown; end: number }[] {
  const found: { name: string; value: unknown; end: number }[] = [];
  let depth = 0;
  let start = json.indexOf('{') + 1;
  for (const { 0: piece, index } of json.matchAll(PIECE)) {
    if (piece === '{' || piece === '[') depth += 1;
    if (depth === 1 && (piece === ',' || piece === '}')) {
      const text = json.slice(start, index).trimEnd();
      if (text !== '') {
        const [[name, value] = ['', undefined]] = Object.entries(JSON.parse(`{${text}}`) as object);
        found.push({ name, value, end: start + text.length });
      }
      start = index + 1;
    }
    if (piece === '}' || piece === ']') depth -= 1;
  }
  return found;
}

/** The line and the column of a place, in bytes. */
function position(json: string, place: number): string {
  const lines = json.slice(0, place).split('\n');
  return `line ${lines.length} column ${Buffer.byteLength(lines.at(-1) ?? '')}`;
}
