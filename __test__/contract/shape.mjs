// Replaces what changes from run to run (dates, durations, uids, sizes, keys) by a mark of its form, so that a recorded
// answer can be compared with a fresh one. Key order is kept: it is part of what is compared.

/** Strings that are replaced as a whole, by their form. */
const WHOLE = /** @type {const} */ ([
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/, '<date>'],
  [/^P(?=\d|T\d)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$/, '<duration>'],
  [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '<uuid>'],
  [/^[0-9a-f]{64}$/, '<key>'],
  [/^\d{8}-\d{9}$/, '<dump uid>'],
  [/^\d+(\.\d+)? ([KMGT]i)?B$/, '<size>'],
]);

/** Names whose values depend on the build or on timing alone. */
const TEXTS = new Set(['batchStrategy', 'commitSha', 'commitDate', 'pkgVersion']);
const OBJECTS = new Set(['progressTrace', 'writeChannelCongestion', 'internalDatabaseSizes']);

/** Names of counters that depend on what ran before, and of measurements. */
const COUNTERS = new Set([
  'taskUid',
  'uid',
  'batchUid',
  'canceledBy',
  'next',
  'from',
  'processingTimeMs',
  'databaseSize',
  'usedDatabaseSize',
  'rawDocumentDbSize',
  'avgDocumentSize',
  'updateId',
]);

/** Routes whose `total` counts the leftovers of other cases too, unless narrowed to the indexes of this one. */
const SHARED_LIST = /^\/(tasks|batches|keys|indexes(\?|$))(?!.*\bindexUids=\{i\})/;

/**
 * @param {string} path of the request, placeholders not filled in
 */
export const hasSharedTotal = (path) => SHARED_LIST.test(path);

export class Shape {
  #run;
  #service;

  /**
   * @param {string} run the prefix that stood for `{i}` in the requests
   * @param {string} service how the server calls itself
   */
  constructor(run, service) {
    this.#run = run;
    this.#service = new RegExp(service, 'gi');
  }

  /**
   * @param {unknown} value
   * @param {boolean} [sharedTotal] whether `total` counts more than this case made
   */
  of(value, sharedTotal = false) {
    return this.#mark(value, '', sharedTotal);
  }

  /**
   * @param {unknown} value
   * @param {string} name of the field that holds the value, through lists
   * @param {boolean} sharedTotal
   * @returns {unknown}
   */
  #mark(value, name, sharedTotal) {
    if (typeof value === 'string') return this.#markText(value, name);
    if (typeof value === 'number') return markNumber(value, name, sharedTotal);
    if (Array.isArray(value)) return value.map((item) => this.#mark(item, name, sharedTotal));
    if (value === null || typeof value !== 'object') return value;
    if (OBJECTS.has(name)) return '<object>';
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        this.#markPrefix(key),
        this.#mark(item, key, sharedTotal),
      ]),
    );
  }

  /**
   * @param {string} text
   * @param {string} name
   */
  #markText(text, name) {
    const whole = WHOLE.find(([form]) => form.test(text));
    if (whole) return whole[1];
    const code = /^https?:\/\/\S*\/errors#(\w+)$/.exec(text)?.[1];
    if (code !== undefined) return `<docs>/errors#${code}`;
    if (TEXTS.has(name)) return '<text>';
    let marked = text;
    if (name === 'originalFilter') {
      marked = marked.replace(/\b(uids|batchUids|canceledBy)=\d+((,|%2C)\d+)*/gi, '$1=<int>');
    }
    if (name === 'message') {
      marked = marked
        .replace(/https:\/\/github\.com\/\S+/g, '<link>')
        .replace(/`\d{10}`/g, '`<int>`')
        .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>');
    }
    return this.#markPrefix(marked.replace(this.#service, '{service}')).replace(
      /index `[^`]*`(?= \(task)/g,
      'index `…`',
    );
  }

  /** @param {string} text */
  #markPrefix(text) {
    return text.replaceAll(this.#run, '{i}');
  }
}

/**
 * @param {number} value
 * @param {string} name
 * @param {boolean} sharedTotal
 */
function markNumber(value, name, sharedTotal) {
  if (COUNTERS.has(name) || (name === 'total' && sharedTotal)) return '<int>';
  return Number.isInteger(value) ? value : Number(value.toPrecision(9));
}
