import type { Personalizer } from '../../personalization/personalizer.js';
import type { EmbeddableQuery } from '../../search/query-vector.js';
import type { Services } from '../services.js';
import type { SessionStore } from '../tls.js';
import type { PrimaryServices } from './messages.js';

/** What a loop has the primary do needs these. */
type Needed = Pick<Services, 'indexes' | 'queryEmbedder' | 'personalizer' | 'usage'>;

/** What loops have the primary do; `signal` is aborted when they wait no more. */
export function primaryServices(services: Needed, sessions: SessionStore): PrimaryServices {
  const { indexes, queryEmbedder, personalizer, usage } = services;
  return {
    open: async (uid) => {
      await indexes.reader(uid);
      return undefined;
    },
    embed: async (query, signal?: AbortSignal) => {
      if (queryEmbedder === undefined) throw new Error('there is nothing that embeds queries');
      return queryEmbedder.embed({ ...(query as EmbeddableQuery), signal });
    },
    putSession: (id, data) => new Promise((done) => sessions.put(id, data, () => done(undefined))),
    session: (id) => new Promise((found) => sessions.get(id, found)),
    personalize: async (answer, taste) => {
      if (personalizer === undefined) throw new Error('there is nothing that personalises');
      usage.personalizedSearches += 1;
      const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
      return personalizer.personalize(bytes, taste as Parameters<Personalizer['personalize']>[1]);
    },
  };
}
