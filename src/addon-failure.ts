import { PRODUCT_VERSION } from './config/product.js';

/** What the loader of the addon says when it found none. */
const NOT_FOUND = /^Cannot find native binding/;
/** Places that the loader looks at, and where nothing is ever put. */
const NEVER_THERE = /wasm|wasi|'\.\//;
const PACKAGE = /'(serval-[\w-]+)'/;

/** What is said when the addon of this platform is missing or does not load; `undefined` for any other error. */
export function addonFailure(error: unknown): string | undefined {
  if (!(error instanceof Error) || !NOT_FOUND.test(error.message)) return undefined;
  const reasons = causesOf(error).filter((reason) => !NEVER_THERE.test(reason));
  const missing = reasons.map((reason) => PACKAGE.exec(reason)?.[1]).find(Boolean);
  const advice = missing === undefined ? '' : `: npm install ${missing}@${PRODUCT_VERSION}`;
  return [
    `the addon for ${process.platform} ${process.arch} cannot be loaded: ${reasons.join('; ')}`,
    `It is a package of its own, which npm leaves out with --omit=optional, or with a lock file of another platform${advice}`,
  ].join('\n');
}

/** The first lines of what its causes say. */
function causesOf({ cause }: Error): string[] {
  if (!(cause instanceof Error)) return [];
  return [cause.message.split('\n')[0] ?? '', ...causesOf(cause)];
}
