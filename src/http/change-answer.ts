import type { FastifyReply } from 'fastify';
import type { Access } from '../auth/access.js';
import { seesIndex } from '../auth/access.js';
import type { ChangeInterest } from '../tasks/change-listeners.js';
import type { ChangeStream } from '../tasks/change-stream.js';
import type { Batch, Task } from '../tasks/task.js';
import { RawAnswer } from './raw-answer.js';

/** How states are written one after another. */
export interface Framing {
  readonly contentType: string;
  readonly frame: (json: string) => string;
}

/** One object a line. */
export const LINES: Framing = {
  contentType: 'application/x-ndjson',
  frame: (json) => `${json}\n`,
};

/** Events as browsers read them. */
const EVENTS: Framing = {
  contentType: 'text/event-stream',
  frame: (json) => `data: ${json}\n\n`,
};

/** The framing that a client asks for by its `Accept` header: lines, unless it wants events. */
function framingFor(accept: string | undefined): Framing {
  return accept?.includes(EVENTS.contentType) === true ? EVENTS : LINES;
}

/** What a client follows. */
export interface Followed<T> {
  readonly follow: (interest: ChangeInterest<T>) => ChangeStream;
  readonly sees: (access: Access) => (value: T) => boolean;
  /** What the client may do at this moment; throws where it may follow no more. */
  readonly access: () => Access;
}

/**
 * An endless answer: the states that a stream gives, sent as they come. Keys change while it goes on, so
 * each state is shown to who may see it then, and the answer ends once its sender may ask for none.
 */
export function changeAnswer<T>(
  { follow, sees, access }: Followed<T>,
  reply: FastifyReply,
): RawAnswer {
  const { contentType, frame } = framingFor(reply.request.headers.accept);
  const stream = follow({
    frame,
    sees: (value) => {
      try {
        return sees(access())(value);
      } catch {
        stream.end();
        return false;
      }
    },
  });
  // Neither proxies nor caches hold anything back; a peer that is gone for good is noticed.
  reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no');
  const { httpVersionMajor, socket } = reply.request.raw;
  if (httpVersionMajor === 1) socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return new RawAnswer(stream, contentType);
}

const KEEP_ALIVE_MS = 60_000;

/** Whether the sender may see a task: all of its indexes. */
export function seesTask(access: Access): (task: Task) => boolean {
  return ({ indexUid, details }) => {
    if (access.visibleIndexes === undefined) return true;
    const uids = indexUid === null ? swappedIndexes(details) : [indexUid];
    return uids.length > 0 && uids.every((uid) => seesIndex(access, uid));
  };
}

/** Whether the sender may see a batch: one of its indexes. */
export function seesBatch(access: Access): (batch: Batch) => boolean {
  return ({ stats, details }) => {
    if (access.visibleIndexes === undefined) return true;
    const uids = Object.keys(stats.indexUids);
    if (uids.length > 0) return uids.some((uid) => seesIndex(access, uid));
    const swapped = swappedIndexes(details);
    return swapped.length > 0 && swapped.every((uid) => seesIndex(access, uid));
  };
}

function swappedIndexes(details: Readonly<Record<string, unknown>> = {}): string[] {
  const swaps = (details.swaps ?? []) as { indexes: string[] }[];
  return swaps.flatMap(({ indexes }) => indexes);
}
