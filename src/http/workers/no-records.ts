import type { Records } from '../../records/records.js';

const refused = (): never => {
  throw new Error('an event loop that only reads was asked to write');
};

/** The records of a loop: it is told what it has to know, and changes nothing. */
export const NO_RECORDS: Records = {
  records: async () => [],
  putRecord: async () => refused(),
  putRecords: async () => refused(),
  deleteRecord: async () => refused(),
};
