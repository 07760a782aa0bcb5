/** Where the documentation lives; the `link` of every error body starts with it. */
export const DOCS_URL = 'https://serval.dev/docs';

/** Where experimental features are discussed; refusals of a feature that is off point there. */
export const DISCUSSIONS_URL = 'https://github.com/serval-search/serval/discussions';
