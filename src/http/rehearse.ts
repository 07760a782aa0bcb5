import type { FastifyInstance, FastifyRequest } from 'fastify';

/** From where searches of a rehearsal come: no connection has such an address. */
const REHEARSAL = 'rehearsal';
/** The port stays shut for so long at the most, whatever the index takes. */
const MAX_MS = 200;
/** Words that hardly any document has, and one page of documents, each with all that is shown. */
const SEARCHES = ['qzxvkj wkqzxv', ''].map((q) => ({
  q,
  limit: 5,
  attributesToHighlight: ['*'],
  attributesToCrop: ['*'],
  showMatchesPosition: true,
}));

/** What a rehearsal needs. */
export interface Stage {
  /** Uids of indexes that are open, once they are. */
  readonly opened: Promise<readonly string[]>;
  readonly masterKey: string | undefined;
}

/**
 * Sends a few searches through all of a server before clients can. The first request of a process
 * finds nothing compiled, no thread started and no page of the program touched, which takes longer
 * than most searches. Whatever fails here fails again, and is told, when a client asks for it.
 */
export async function rehearse(app: FastifyInstance, stage: Stage): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MAX_MS);
  });
  await Promise.race([sendSearches(app, stage).catch(() => undefined), tooLong]);
  clearTimeout(timer);
}

/** Whether a request is none of a client. */
export const isRehearsed = ({ socket }: FastifyRequest): boolean =>
  socket.remoteAddress === REHEARSAL;

/** All at once, so that more than one thread of the engine has its first search. */
async function sendSearches(app: FastifyInstance, { opened, masterKey }: Stage): Promise<void> {
  const [uid] = await opened;
  if (uid === undefined) return;
  const key = masterKey === undefined ? {} : { authorization: `Bearer ${masterKey}` };
  const headers = { ...key, 'accept-encoding': 'gzip', 'content-type': 'application/json' };
  const url = `/indexes/${uid}/search`;
  const sent = SEARCHES.map((search) =>
    app.inject({
      method: 'POST',
      url,
      headers,
      payload: JSON.stringify(search),
      remoteAddress: REHEARSAL,
    }),
  );
  await Promise.all(sent);
}
