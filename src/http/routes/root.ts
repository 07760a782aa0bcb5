import { PRODUCT_NAME, PRODUCT_VERSION } from '../../config/product.js';
import { RawAnswer } from '../raw-answer.js';
import { type AnyRoute, route } from '../route.js';

/** What stands at the address of the server itself. Open to everyone. */
export const rootRoutes = (showsPreview: boolean): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/',
    handle: ({ request, reply }) => {
      const wantsPage = /\btext\/html\b/.test(request.headers.accept ?? '');
      if (!showsPreview || !wantsPage) return { status: `${PRODUCT_NAME} is running` };
      reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'");
      return new RawAnswer(Buffer.from(PAGE), 'text/html; charset=utf-8');
    },
  }),
];

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${PRODUCT_NAME}</title>
<style>body { font: 1rem/1.5 system-ui; margin: 10vh auto; max-width: 40rem; padding: 0 1rem }</style>
<h1>${PRODUCT_NAME} is running</h1>
<p>Version ${PRODUCT_VERSION}. The routes are described in <a href="/openapi.json">openapi.json</a>.</p>
</html>
`;
