import { type Command, TARGET_OPTIONS } from './command.js';
import { openTarget, succeeded } from './target.js';

/** `serval snapshot`: an exact copy for the same version. */
export const snapshotCommand: Command = {
  name: 'snapshot',
  summary: 'Make a snapshot: an exact copy for the same version',
  usage: ['snapshot [options]'],
  about: `The file is written on the machine of the server, into its --snapshot-dir, in place of the one
before; of a data folder, into its folder snapshots. A new data folder is filled from it by
serval --import-snapshot FILE.`,
  options: TARGET_OPTIONS,
  run: async (given, { terminal, signal }) => {
    given.atMost(0);
    const target = await openTarget(given, signal);
    try {
      const { uid } = await succeeded(target, await target.createSnapshot());
      if (given.has('json')) terminal.printJson({ taskUid: uid });
      else terminal.print('the snapshot is made');
    } finally {
      await target.close();
    }
  },
};
