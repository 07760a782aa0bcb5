import { type Command, type CommandContext, TARGET_OPTIONS } from './command.js';
import { CommandError, EXIT, usageError } from './exit-code.js';
import type { Given } from './given.js';
import { printTable } from './table.js';
import { openTarget, type Target, type TargetKey } from './target.js';

/** What `serval keys` does, by its first word. */
const ACTIONS: Readonly<Record<string, (given: Given, target: Target) => Promise<Shown>>> = {
  list: async (given, target) => {
    given.atMost(1);
    return { keys: await target.keys() };
  },
  show: async (given, target) => {
    given.atMost(2);
    const wanted = given.word(1, 'the uid of the key, or the key');
    const found = (await target.keys()).find(({ uid, key }) => uid === wanted || key === wanted);
    if (found === undefined) throw new CommandError(EXIT.notFound, `there is no key ${wanted}`);
    return { key: found };
  },
  create: async (given, target) => {
    given.atMost(1);
    const actions = given.list('actions');
    if (actions.length === 0) throw usageError('--actions says what the key may do');
    const indexes = given.list('indexes');
    const uid = given.text('uid');
    const key = await target.createKey({
      name: given.text('name') ?? null,
      description: given.text('description') ?? null,
      actions,
      indexes: indexes.length === 0 ? ['*'] : indexes,
      expiresAt: given.text('expires-at') ?? null,
      ...(uid === undefined ? {} : { uid }),
    });
    return { key };
  },
  delete: async (given, target) => {
    given.atMost(2);
    await target.deleteKey(given.word(1, 'the uid of the key, or the key'));
    return {};
  },
};

/** A list of keys, one key, or nothing. */
type Shown = { readonly keys?: readonly TargetKey[]; readonly key?: TargetKey };

/** `serval keys`: the API keys. */
export const keysCommand: Command = {
  name: 'keys',
  summary: 'List, show, create and delete API keys',
  usage: [
    'keys [list]',
    'keys show UID',
    'keys create --actions search --indexes movies [options]',
    'keys delete UID',
  ],
  firstWords: Object.keys(ACTIONS),
  about: 'With --db-path, --api-key is the master key of the data folder: keys follow from it.',
  options: {
    ...TARGET_OPTIONS,
    name: { help: 'Name of the new key', value: 'TEXT' },
    description: { help: 'Description of the new key', value: 'TEXT' },
    actions: { help: 'What the new key may do', value: 'ACTIONS', isList: true },
    indexes: { help: 'Indexes of the new key (default: all)', value: 'UIDS', isList: true },
    'expires-at': { help: 'When the new key ends, such as 2030-01-31', value: 'DATE' },
    uid: { help: 'Uid of the new key', value: 'UUID' },
  },
  run: async (given, context) => {
    const [name = 'list'] = given.words;
    const act = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (act === undefined) throw usageError(`keys ${name} is none of list, show, create, delete`);
    const target = await openTarget(given, context.signal);
    try {
      show(await act(given, target), given.has('json'), context);
    } finally {
      await target.close();
    }
  },
};

function show(shown: Shown, isJson: boolean, { terminal }: CommandContext): void {
  const { keys, key } = shown;
  if (isJson) {
    if (keys !== undefined || key !== undefined) terminal.printJson(keys ?? key);
    return;
  }
  if (key !== undefined) {
    for (const [name, value] of Object.entries(key)) {
      terminal.print(`${terminal.bold(`${name}:`.padEnd(13))} ${textOf(value)}`);
    }
  }
  if (keys === undefined) return;
  const columns = [
    { heading: 'name' },
    { heading: 'uid', isWhole: true },
    { heading: 'actions' },
    { heading: 'indexes' },
    { heading: 'expires' },
  ];
  const rows = keys.map(({ name, uid, actions, indexes, expiresAt }) =>
    [name, uid, actions, indexes, expiresAt].map(textOf),
  );
  printTable(terminal, columns, rows);
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : String(value ?? '');
}
