import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';

/** The name shown to people. */
export const PRODUCT_NAME = 'Serval';

const manifestSchema = z.object({ version: z.string() });

/** The version of the package. */
export const PRODUCT_VERSION = manifestSchema.parse(
  JSON.parse(readFileSync(manifestAbove(new URL('.', import.meta.url)), 'utf8')),
).version;

/** The package.json above a folder: sources and the bundle made of them stand at different depths. */
function manifestAbove(folder: URL): URL {
  const manifest = new URL('package.json', folder);
  return existsSync(manifest) ? manifest : manifestAbove(new URL('..', folder));
}
