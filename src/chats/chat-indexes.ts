import type { SearchRequest } from '../search/search-request.js';
import type { DescribedIndex } from './search-tool.js';

/** The indexes as the sender of a chat may use them; every method throws what refuses it. */
export interface ChatIndexes {
  /** The uids of the indexes that the sender may see. */
  visible(): Promise<readonly string[]>;
  /** Ready JSON of the answer to a search, under the rights and rules of the sender. */
  search(uid: string, request: SearchRequest): Promise<Buffer>;
  /** The settings of an index as JSON; the words that they list may be missing. */
  settings(uid: string): Promise<string>;
  /** The dotted names of the fields of an index. */
  fields(uid: string): Promise<readonly string[]>;
}

/** The settings of an index that chats look at. */
export interface ChatIndexSettings {
  readonly filterableAttributes: readonly unknown[];
  readonly searchableAttributes: readonly string[];
  readonly chat: {
    readonly description: string;
    readonly documentTemplate: string;
    readonly documentTemplateMaxBytes: number;
    readonly searchParameters: Partial<SearchRequest>;
  };
}

/** The settings of an index, read. */
export async function chatIndexSettings(
  indexes: ChatIndexes,
  uid: string,
): Promise<ChatIndexSettings> {
  return JSON.parse(await indexes.settings(uid)) as ChatIndexSettings;
}

/** What a model is told of the indexes that the sender may see. */
export async function describedIndexes(indexes: ChatIndexes): Promise<DescribedIndex[]> {
  const described: DescribedIndex[] = [];
  for (const uid of await indexes.visible()) {
    const settings = await unlessGone(() => chatIndexSettings(indexes, uid));
    if (settings === undefined) continue;
    const { chat, filterableAttributes } = settings;
    const facets = filterableAttributes.length === 0 ? {} : await facetsOf(indexes, uid);
    described.push({ uid, description: chat.description, facets });
  }
  return described;
}

/** Values under the rules of the sender; none when it may chat but not search, or a rule fails. */
async function facetsOf(indexes: ChatIndexes, uid: string): Promise<DescribedIndex['facets']> {
  try {
    const answer = await indexes.search(uid, { q: '', limit: 0, facets: ['*'] });
    const { facetDistribution } = JSON.parse(answer.toString('utf8')) as {
      facetDistribution?: DescribedIndex['facets'];
    };
    return facetDistribution ?? {};
  } catch {
    return {};
  }
}

/** `undefined` when an index went away meanwhile. */
async function unlessGone<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'index_not_found') return undefined;
    throw error;
  }
}
