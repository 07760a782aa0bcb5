import { PRODUCT_NAME } from '../../config/product.js';
import type { PageFiles } from '../page-files.js';
import { servePage } from '../page-headers.js';
import { RawAnswer } from '../raw-answer.js';
import { type AnyRoute, route } from '../route.js';

/** What stands at the address of the server itself: the page for browsers, a line for programs. */
export const rootRoutes = (page: PageFiles | undefined): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/',
    handle: ({ request, reply }) => {
      if (page === undefined) return { status: `${PRODUCT_NAME} is running` };
      reply.header('vary', 'accept');
      const wantsPage = /\btext\/html\b/.test(request.headers.accept ?? '');
      if (!wantsPage) return { status: `${PRODUCT_NAME} is running` };
      return servePage(page.page, request, reply);
    },
  }),
];

/** A year: names of files change with their content. */
const ASSET_CACHING = 'public, max-age=31536000, immutable';

/** The explorer and the files of pages. Open to everyone; without pages there are no such paths. */
export const pageRoutes = (page: PageFiles | undefined): AnyRoute[] =>
  page === undefined
    ? []
    : [
        route({
          method: 'GET',
          path: '/docs',
          handle: ({ request, reply }) => servePage(page.explorer, request, reply),
        }),
        route({
          method: 'GET',
          path: '/page/:file',
          handle: ({ params, reply }) => {
            const asset = page.assets.get(params.file ?? '');
            reply.header('x-content-type-options', 'nosniff');
            if (asset === undefined) {
              reply.code(404);
              return undefined;
            }
            reply.header('cache-control', ASSET_CACHING);
            reply.header('cross-origin-resource-policy', 'same-origin');
            return new RawAnswer(asset.content, asset.contentType);
          },
        }),
      ];
