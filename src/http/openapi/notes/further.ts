import * as z from 'zod';
import { pageOf } from '../answers/basics.js';
import { chat, chatSettings, rendering, searchRule, webhook } from '../answers/instance.js';
import { taskSummary } from '../answers/tasks.js';
import { answered, type TagNotes } from '../route-notes.js';

const ACCEPTED = answered('The write is in the queue', taskSummary);
const WEBHOOK = answered('The webhook', webhook);
const CHAT_SETTINGS = { 200: answered('The settings, the key masked', chatSettings) };
const CHATS = 'Asks for the experimental feature `chatCompletions`.';
const RULES = 'Asks for the experimental feature `dynamicSearchRules`.';

/** Addresses that hear of finished batches. */
export const webhookNotes: TagNotes = {
  tag: 'Webhooks',
  description: 'Addresses that hear of every batch that ends.',
  routes: {
    'GET /webhooks': {
      id: 'listWebhooks',
      summary: 'List webhooks',
      answers: { 200: answered('All webhooks', z.object({ results: z.array(webhook) })) },
    },
    'POST /webhooks': {
      id: 'createWebhook',
      summary: 'Create a webhook',
      answers: { 201: answered('The new webhook', webhook) },
      codes: ['invalid_webhooks', 'invalid_webhook_url', 'invalid_webhook_headers'],
    },
    'GET /webhooks/:uuid': {
      id: 'getWebhook',
      summary: 'Show a webhook',
      answers: { 200: WEBHOOK },
      codes: ['webhook_not_found', 'invalid_webhook_uuid'],
    },
    'PATCH /webhooks/:uuid': {
      id: 'changeWebhook',
      summary: 'Change a webhook',
      answers: { 200: WEBHOOK },
      codes: [
        'webhook_not_found',
        'immutable_webhook',
        'invalid_webhook_uuid',
        'invalid_webhook_url',
        'invalid_webhook_headers',
      ],
    },
    'DELETE /webhooks/:uuid': {
      id: 'deleteWebhook',
      summary: 'Delete a webhook',
      answers: { 204: { description: 'The webhook is gone' } },
      codes: ['webhook_not_found', 'immutable_webhook', 'invalid_webhook_uuid'],
    },
  },
};

/** Answering questions from documents. */
export const chatNotes: TagNotes = {
  tag: 'Chats',
  description: 'Answering questions from the documents, by a language model.',
  routes: {
    'GET /chats': {
      id: 'listWorkspaces',
      summary: 'List workspaces',
      description: CHATS,
      answers: { 200: answered('A part of the workspaces', pageOf(chat)) },
      codes: ['feature_not_enabled'],
    },
    'GET /chats/:workspaceUid': {
      id: 'getWorkspace',
      summary: 'Show a workspace',
      description: CHATS,
      answers: { 200: answered('The workspace', chat) },
      codes: ['feature_not_enabled', 'chat_not_found'],
    },
    'DELETE /chats/:workspaceUid': {
      id: 'deleteWorkspace',
      summary: 'Delete a workspace',
      description: CHATS,
      answers: { 204: { description: 'The workspace is gone' } },
      codes: ['feature_not_enabled', 'chat_not_found'],
    },
    'GET /chats/:workspaceUid/settings': {
      id: 'getWorkspaceSettings',
      summary: 'Show the settings of a workspace',
      description: CHATS,
      answers: CHAT_SETTINGS,
      codes: ['feature_not_enabled', 'chat_not_found'],
    },
    'PATCH /chats/:workspaceUid/settings': {
      id: 'changeWorkspaceSettings',
      summary: 'Change the settings of a workspace, or create it',
      description: CHATS,
      answers: CHAT_SETTINGS,
      codes: ['feature_not_enabled'],
    },
    'DELETE /chats/:workspaceUid/settings': {
      id: 'resetWorkspaceSettings',
      summary: 'Set the settings of a workspace back to their defaults',
      description: CHATS,
      answers: CHAT_SETTINGS,
      codes: ['feature_not_enabled', 'chat_not_found'],
    },
    'POST /chats/:workspaceUid/chat/completions': {
      id: 'completeChat',
      summary: 'Answer a question from the documents',
      description: CHATS,
      answers: {
        200: {
          description: 'The answer in pieces, as events',
          schema: z.string(),
          mediaTypes: ['text/event-stream'],
        },
      },
      codes: [
        'feature_not_enabled',
        'chat_not_found',
        'unimplemented_external_function_calling',
        'unimplemented_multi_choice_chat_completions',
        'unimplemented_non_streaming_chat_completions',
      ],
    },
  },
};

/** Rules that pin documents, and templates. */
export const ruleNotes: TagNotes = {
  tag: 'Rules and templates',
  description: 'Rules that pin documents to places of answers, and trying out templates.',
  routes: {
    'POST /dynamic-search-rules': {
      id: 'listSearchRules',
      summary: 'List dynamic search rules',
      description: RULES,
      answers: { 200: answered('A part of the rules', pageOf(searchRule)) },
      codes: ['feature_not_enabled'],
    },
    'GET /dynamic-search-rules/:ruleUid': {
      id: 'getSearchRule',
      summary: 'Show a dynamic search rule',
      description: RULES,
      answers: { 200: answered('The rule', searchRule) },
      codes: ['feature_not_enabled', 'dynamic_search_rule_not_found'],
    },
    'PATCH /dynamic-search-rules/:ruleUid': {
      id: 'changeSearchRule',
      summary: 'Change a dynamic search rule, or create it',
      description: RULES,
      answers: { 202: ACCEPTED },
      codes: ['feature_not_enabled'],
    },
    'DELETE /dynamic-search-rules/:ruleUid': {
      id: 'deleteSearchRule',
      summary: 'Delete a dynamic search rule',
      description: RULES,
      answers: { 202: ACCEPTED },
      codes: ['feature_not_enabled'],
    },
    'DELETE /dynamic-search-rules': {
      id: 'deleteSearchRules',
      summary: 'Delete all dynamic search rules',
      description: RULES,
      answers: { 202: ACCEPTED },
      codes: ['feature_not_enabled'],
    },
    'POST /render-template': {
      id: 'renderTemplate',
      summary: 'Show what a template makes of a document or of a query',
      description: 'Asks for the experimental feature `renderRoute`.',
      answers: { 200: answered('The template and its text', rendering) },
      codes: [
        'feature_not_enabled',
        'index_not_found',
        'render_document_not_found',
        'template_parsing_error',
        'template_rendering_error',
        'invalid_render_input',
        'invalid_render_template',
      ],
    },
  },
};
