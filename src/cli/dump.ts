import { type Command, TARGET_OPTIONS } from './command.js';
import { openTarget, succeeded } from './target.js';

/** `serval dump`: a portable copy of everything. */
export const dumpCommand: Command = {
  name: 'dump',
  summary: 'Make a dump: a portable copy of everything',
  usage: ['dump [options]'],
  about: `The file is written on the machine of the server, into its --dump-dir; of a data folder, into its
folder dumps. A new data folder is filled from it by serval --import-dump FILE.`,
  options: TARGET_OPTIONS,
  run: async (given, { terminal, signal }) => {
    given.atMost(0);
    const target = await openTarget(given, signal);
    try {
      const { uid, details } = await succeeded(target, await target.createDump());
      const dumpUid = String(details?.dumpUid);
      if (given.has('json')) terminal.printJson({ taskUid: uid, dumpUid, file: `${dumpUid}.dump` });
      else terminal.print(`${dumpUid}.dump`);
    } finally {
      await target.close();
    }
  },
};
