/** What a key may be allowed to do, in the order of messages. */
export const ACTIONS = [
  '*',
  'search',
  'documents.*',
  'documents.add',
  'documents.get',
  'documents.delete',
  'indexes.*',
  'indexes.create',
  'indexes.get',
  'indexes.update',
  'indexes.delete',
  'indexes.swap',
  'tasks.*',
  'tasks.cancel',
  'tasks.delete',
  'tasks.get',
  'settings.*',
  'settings.get',
  'settings.update',
  'stats.*',
  'stats.get',
  'metrics.*',
  'metrics.get',
  'dumps.*',
  'dumps.create',
  'snapshots.*',
  'snapshots.create',
  'version',
  'keys.create',
  'keys.get',
  'keys.update',
  'keys.delete',
  'experimental.get',
  'experimental.update',
  'export',
  'network.get',
  'network.update',
  'chatCompletions',
  'chats.*',
  'chats.get',
  'chats.delete',
  'chatsSettings.*',
  'chatsSettings.get',
  'chatsSettings.update',
  '*.get',
  'webhooks.get',
  'webhooks.update',
  'webhooks.delete',
  'webhooks.create',
  'webhooks.*',
  'indexes.compact',
  'fields.post',
  'tasks.compact',
  'dynamicSearchRules.get',
  'dynamicSearchRules.create',
  'dynamicSearchRules.update',
  'dynamicSearchRules.delete',
  'dynamicSearchRules.*',
] as const;

/** A right of a key. */
export type Action = (typeof ACTIONS)[number];

/** Another spelling of `chatCompletions`, accepted for keys and kept as given. */
export const OTHER_CHAT_ACTION = 'chatsCompletions';

/** A right as it is written in a key. */
export type KeyAction = Action | typeof OTHER_CHAT_ACTION;

/** What `*.get` stands for: reading everything but keys. */
const READING: ReadonlySet<Action> = new Set([
  'search',
  'documents.get',
  'export',
  'indexes.get',
  'tasks.get',
  'settings.get',
  'stats.get',
  'metrics.get',
  'version',
  'experimental.get',
  'network.get',
  'chats.get',
  'chatsSettings.get',
  'webhooks.get',
  'fields.post',
  'dynamicSearchRules.get',
] as const);

const GLOBAL_GROUPS =
  /^(metrics|dumps|snapshots|keys|experimental|network|chats|chatsSettings|webhooks|dynamicSearchRules)\./;
const GLOBAL_ACTIONS: ReadonlySet<string> = new Set(['version', 'export', 'tasks.compact']);

/** Whether an action concerns the whole server, so that no key for some indexes may hold it. */
export function isGlobalAction(action: KeyAction): boolean {
  return GLOBAL_GROUPS.test(action) || GLOBAL_ACTIONS.has(action);
}

/** Whether holding one action allows another. */
function covers(held: KeyAction, asked: Action): boolean {
  if (held === asked || held === '*') return true;
  if (held === OTHER_CHAT_ACTION) return asked === 'chatCompletions';
  if (held === '*.get') return READING.has(asked);
  return held.endsWith('.*') && asked.startsWith(held.slice(0, -1));
}

/** Every action that the actions of a key allow; one for some indexes is allowed no global ones. */
export function grantedActions(
  held: readonly KeyAction[],
  scope: 'all indexes' | 'some indexes',
): ReadonlySet<Action> {
  return new Set(
    ACTIONS.filter(
      (asked) =>
        held.some((one) => covers(one, asked)) &&
        (scope === 'all indexes' || !isGlobalAction(asked)),
    ),
  );
}
