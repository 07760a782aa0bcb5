// Reads the recorded cases: cases/<area>/<name>.json.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this runner. */
export const here = dirname(fileURLToPath(import.meta.url));

/**
 * @typedef {object} Request
 * @property {string} method
 * @property {string} path
 * @property {Record<string, string | null>} [headers] null takes away a header that would be sent by default
 * @property {unknown} [body] sent as JSON
 * @property {string} [raw] sent as it is, without a content type of its own
 * @property {string} [file] name of a file in __test__/fixtures, sent as NDJSON
 *
 * @typedef {object} TokenSpec how to make a JSON Web Token
 * @property {unknown} payload
 * @property {string} secret
 * @property {string} [alg] HS256, HS384, HS512 or none
 * @property {unknown} [header]
 * @property {unknown} [tamper] payload put in after signing
 *
 * @typedef {object} Step
 * @property {Request} [req]
 * @property {Answer | null} [res] the recorded answer, null for steps that send nothing
 * @property {string} [save] name under which later steps find the answer (or token)
 * @property {boolean} [nowait] do not follow the task
 * @property {string[]} [pick] compare only these paths of the body
 * @property {string[]} [pickTask] compare only these paths of the finished task
 * @property {string[]} [exact] fields of the body compared as they are
 * @property {boolean} [text] compare the body as text
 * @property {number} [wait] milliseconds to pause
 * @property {TokenSpec} [sign]
 *
 * @typedef {object} Answer
 * @property {number} status
 * @property {string} contentType
 * @property {unknown} body
 * @property {unknown} [task] the finished task
 *
 * @typedef {object} Case
 * @property {string} id `<area>/<file>: <name>`, unique
 * @property {string} file `<area>/<file>`
 * @property {Step[]} steps
 */

/**
 * All cases in a stable order: by area, by file, then as recorded.
 * @param {string} [only] keeps the files whose `<area>/<name>` contains it
 * @returns {Case[]}
 */
export function readCases(only = '') {
  const folder = join(here, 'cases');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.replaceAll('\\', '/'))
    .sort();
  return names.flatMap((name) => {
    const file = name.replace(/\.json$/, '');
    if (!file.includes(only)) return [];
    const { cases } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return cases.map((/** @type {{name: string, steps: Step[]}} */ { name: title, steps }) => ({
      id: `${file}: ${title}`,
      file,
      steps,
    }));
  });
}
