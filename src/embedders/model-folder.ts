import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { EmbeddingError } from './embedding-error.js';

/** Names of models on a hub: an owner, or none, and a name. */
const HUB_NAME = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/;

/** Where a model is to be had: a folder, or its name on the hub. */
export type ModelPlace = { readonly folder: string } | { readonly hubName: string };

/**
 * Where a model is: a folder inside of the folder of models wins over a name on the hub. Nothing
 * outside of that folder is ever looked at.
 */
export async function placeOf(model: string, models: string): Promise<ModelPlace> {
  const path = resolve(models, model);
  if (isInside(models, path) && existsSync(join(path, 'config.json'))) {
    const [root, folder] = await Promise.all([realpath(models), realpath(path)]);
    if (isInside(root, folder)) return { folder };
  } else if (HUB_NAME.test(model)) {
    return { hubName: model };
  }
  const reason = `model \`${model}\` is neither a folder in the folder of models nor the name of a model on the hub`;
  throw new EmbeddingError('user', reason);
}

function isInside(folder: string, path: string): boolean {
  const way = relative(resolve(folder), path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
