// The page that a browser opens: the widgets of InstantSearch on the client that people use with them.
import { instantMeiliSearch } from '@meilisearch/instant-meilisearch';
import instantsearch from 'instantsearch.js';
import {
  configure,
  hits,
  pagination,
  rangeInput,
  refinementList,
  searchBox,
  sortBy,
  stats,
} from 'instantsearch.js/es/widgets/index.js';

/** What the test sets before the page is loaded. */
interface Given {
  readonly serverUrl: string;
  readonly searchKey: string;
}

/** What a template is given beside its hit; the widgets' own types cannot be read here. */
interface Tools {
  html(parts: TemplateStringsArray, ...values: unknown[]): unknown;
  readonly components: Record<
    'Highlight' | 'Snippet',
    (of: { hit: unknown; attribute: string }) => unknown
  >;
}

const { serverUrl, searchKey } = globalThis as unknown as Given;
const { searchClient } = instantMeiliSearch(serverUrl, searchKey, { finitePagination: true });

const search = instantsearch({
  indexName: 'films',
  // The two packages declare the same client with types of their own.
  searchClient: searchClient as unknown as Parameters<typeof instantsearch>[0]['searchClient'],
});
search.addWidgets([
  configure({ hitsPerPage: 5, attributesToSnippet: ['overview:6'] }),
  searchBox({ container: '#box' }),
  stats({ container: '#stats' }),
  sortBy({
    container: '#sort',
    items: [
      { label: 'Relevance', value: 'films' },
      { label: 'Newest', value: 'films:year:desc' },
      { label: 'Oldest', value: 'films:year:asc' },
    ],
  }),
  refinementList({ container: '#genres', attribute: 'genres', searchable: true }),
  rangeInput({ container: '#year', attribute: 'year' }),
  hits({
    container: '#hits',
    templates: {
      item: (hit: unknown, { html, components }: Tools) =>
        html`<h2>${components.Highlight({ hit, attribute: 'title' })}</h2>
          <p>${components.Snippet({ hit, attribute: 'overview' })}</p>`,
    },
  }),
  pagination({ container: '#pages' }),
]);
search.start();
