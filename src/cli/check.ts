import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckReport } from '../check/check-report.js';
import type { Command } from './command.js';
import { CommandError, EXIT, usageError } from './exit-code.js';
import type { Terminal } from './terminal.js';

/** `serval check`: looks through a data folder for damaged files. */
export const checkCommand: Command = {
  name: 'check',
  summary: 'Look through a data folder for damaged files',
  usage: ['check --db-path DIR [--json]'],
  about: `Reads every file and compares its checksum. Nothing is changed; no server may run on the folder.
The exit status is 6 when files are damaged. An index with a damaged file is restored from a snapshot
or a dump, or deleted and filled again.`,
  options: { 'db-path': { help: 'The data folder', value: 'DIR' } },
  run: async (given, { terminal }) => {
    given.atMost(0);
    const folder = given.text('db-path');
    if (folder === undefined) throw usageError('--db-path says which data folder');
    if (!existsSync(join(folder, 'server.sqlite')) && !existsSync(join(folder, 'VERSION'))) {
      throw new CommandError(EXIT.notFound, `there is no data folder at ${folder}`);
    }
    // The engine is loaded only where it is needed.
    const { checkFolder } = await import('../check/check-data.js');
    const report = await checkFolder(folder);
    if (given.has('json')) terminal.printJson(report);
    else show(report, terminal);
    const { length } = report.damaged;
    if (length > 0) {
      throw new CommandError(EXIT.damaged, `${length} of ${report.files} files damaged`);
    }
  },
};

function show({ files, damaged }: CheckReport, terminal: Terminal): void {
  for (const { path, reason, indexUid } of damaged) {
    const where = indexUid === undefined ? path : `${path} (index ${indexUid})`;
    terminal.print(`${where}: ${reason}`);
  }
  if (damaged.length === 0) terminal.print(`${files} files, none damaged`);
}
