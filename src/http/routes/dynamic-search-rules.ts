import { deletionQuerySchema } from '../../documents/documents-change-request.js';
import { ApiError } from '../../errors/api-error.js';
import { requireFeature } from '../../features/feature.js';
import { ruleChangeOf, ruleChangeSchema, ruleListSchema } from '../../search-rules/rule-request.js';
import { invalidIndexUid, isIndexUid } from '../../validation/index-uid.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

const PATH = '/dynamic-search-rules';
const CHANGING = 'Using the `/dynamic-search-rules` routes';

/** Writing and reading dynamic search rules. Writes are tasks that belong to no index. */
export const dynamicSearchRuleRoutes = ({ features, rules, tasks }: Services): AnyRoute[] => {
  const requireRules = (action: string): void =>
    requireFeature(features.all(), 'dynamicSearchRules', action);
  return [
    route({
      method: 'POST',
      path: PATH,
      actions: ['dynamicSearchRules.get'],
      body: ruleListSchema,
      handle: ({ body: { offset, limit, filter } }) => {
        requireRules('Calling the `POST /dynamic-search-rules` route');
        const found = rules.list(filter ?? {});
        const results = found.slice(offset, offset + limit);
        return { results, offset, limit, total: found.length };
      },
    }),
    route({
      method: 'GET',
      path: `${PATH}/:ruleUid`,
      actions: ['dynamicSearchRules.get'],
      handle: ({ params }) => {
        requireRules('Calling the `GET /dynamic-search-rules/{:ruleUid}` route');
        const uid = ruleUid(params);
        const rule = rules.get(uid);
        if (rule !== undefined) return rule;
        const message = `Dynamic search rule \`${uid}\` not found.`;
        throw new ApiError('dynamic_search_rule_not_found', message);
      },
    }),
    route({
      method: 'PATCH',
      path: `${PATH}/:ruleUid`,
      actions: ['dynamicSearchRules.update'],
      query: deletionQuerySchema,
      body: ruleChangeSchema,
      handle: ({ params, query, body, reply }) => {
        const change = ruleChangeOf(body);
        requireRules(CHANGING);
        const draft = { type: 'dsrUpdate', ruleUid: ruleUid(params), change } as const;
        reply.code(202);
        return tasks.enqueue({ ...draft, ...metadata(query) });
      },
    }),
    route({
      method: 'DELETE',
      path: `${PATH}/:ruleUid`,
      actions: ['dynamicSearchRules.delete'],
      query: deletionQuerySchema,
      handle: ({ params, query, reply }) => {
        requireRules(CHANGING);
        const draft = { type: 'dsrUpdate', ruleUid: ruleUid(params), change: null } as const;
        reply.code(202);
        return tasks.enqueue({ ...draft, ...metadata(query) });
      },
    }),
    route({
      method: 'DELETE',
      path: PATH,
      actions: ['dynamicSearchRules.delete'],
      query: deletionQuerySchema,
      handle: ({ query, reply }) => {
        requireRules(CHANGING);
        reply.code(202);
        return tasks.enqueue({ type: 'dsrClear', ...metadata(query) });
      },
    }),
  ];
};

function ruleUid({ ruleUid: uid = '' }: Readonly<Record<string, string>>): string {
  if (!isIndexUid(uid)) throw new ApiError('invalid_index_uid', invalidIndexUid(uid));
  return uid;
}

function metadata({ customMetadata }: { customMetadata?: string | undefined }) {
  return customMetadata === undefined ? {} : { customMetadata };
}
