import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** The name shown to people. */
export const PRODUCT_NAME = 'Serval';

const manifestSchema = z.object({ version: z.string() });

/** The version of the package. */
export const PRODUCT_VERSION = manifestSchema.parse(
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')),
).version;
