import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { loopbackService } from '../loopback-service.js';

/** The commit that every model of the hub is at. */
export const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** Answers a request in place of the hub; `true` when it did. */
export type Fault = (response: ServerResponse, path: string) => boolean;

/** A local hub with one model. */
export interface HubServer {
  readonly url: string;
  /** Paths of the requests. */
  readonly asked: string[];
  /** Looked at before anything is answered. */
  fault: Fault | undefined;
}

/** Starts a hub that serves the files of a folder as a model; it ends with the test. */
export async function hubServer(model: string, folder: string): Promise<HubServer> {
  const hub: { url: string; asked: string[]; fault: Fault | undefined } = {
    url: '',
    asked: [],
    fault: undefined,
  };
  hub.url = await loopbackService((request, response) =>
    answer(hub, { model, folder }, request, response),
  );
  return hub;
}

/** As hubs do it: weights are large files that lie elsewhere, the others are in the repository. */
function answer(
  hub: HubServer,
  { model, folder }: { model: string; folder: string },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const path = request.url ?? '';
  hub.asked.push(path);
  if (hub.fault?.(response, path) === true) return;
  const [, name] = path.match(/^\/elsewhere\/(.+)$/) ?? [];
  if (name !== undefined) {
    response.end(readFileSync(join(folder, name)));
    return;
  }
  const [, asked, revision, file = ''] =
    path.match(/^\/(.+)\/resolve\/([^/]+)\/(.+)$/)?.map(decodeURIComponent) ?? [];
  const local = join(folder, file);
  const known = asked === model && (revision === 'main' || revision === COMMIT);
  if (!known || !existsSync(local)) {
    response.writeHead(asked === model ? 404 : 401).end();
    return;
  }
  const content = readFileSync(local);
  const commit = { 'x-repo-commit': COMMIT };
  if (file.endsWith('.safetensors')) {
    const sum = createHash('sha256').update(content).digest('hex');
    response.writeHead(302, {
      ...commit,
      'x-linked-etag': `"${sum}"`,
      'x-linked-size': String(content.length),
      location: `/elsewhere/${file}`,
    });
    response.end();
    return;
  }
  const sum = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
  response.writeHead(200, { ...commit, etag: `"${sum}"`, 'content-length': content.length });
  response.end(content);
}
