import * as z from 'zod';
import { errorSchema } from '../answers/basics.js';
import { features, health, network, version } from '../answers/instance.js';
import { taskSummary } from '../answers/tasks.js';
import { answered, type TagNotes } from '../route-notes.js';

const ACCEPTED = answered('The write is in the queue', taskSummary);
const LOGS = 'Asks for the experimental feature `logsRoute`.';
const NETWORK = 'Asks for the experimental feature `network`.';
const text = z.string();

/** The server itself. */
export const instanceNotes: TagNotes = {
  tag: 'Instance',
  description: 'The server itself: whether it runs, what it measures, copies of its data.',
  routes: {
    'GET /': {
      id: 'greet',
      summary: 'Show that the server runs: the page to browsers, a line to programs',
      answers: {
        200: {
          description: 'The server runs',
          schema: z.object({ status: text }),
          mediaTypes: ['application/json', 'text/html'],
        },
      },
    },
    'GET /health': {
      id: 'getHealth',
      summary: 'Show whether the server is available',
      answers: {
        200: answered('It is', health),
        500: answered('It must be started again, or it failed', health.or(errorSchema)),
      },
    },
    'GET /version': {
      id: 'getVersion',
      summary: 'Show the version',
      answers: { 200: answered('What exactly runs', version) },
    },
    'GET /openapi.json': {
      id: 'getOpenApi',
      summary: 'Describe all routes: this document',
      answers: { 200: answered('An OpenAPI document', z.looseObject({ openapi: text })) },
    },
    'GET /metrics': {
      id: 'getMetrics',
      summary: 'Show what the server measures, for Prometheus',
      description: 'Asks for the experimental feature `metrics`, and for a key of all indexes.',
      answers: { 200: { description: 'Measurements', schema: text, mediaTypes: ['text/plain'] } },
      codes: ['feature_not_enabled'],
    },
    'GET /experimental-features': {
      id: 'getFeatures',
      summary: 'Show which experimental features are on',
      answers: { 200: answered('All features', features) },
    },
    'PATCH /experimental-features': {
      id: 'changeFeatures',
      summary: 'Switch experimental features',
      answers: { 200: answered('All features', features) },
    },
    'POST /dumps': {
      id: 'createDump',
      summary: 'Write a dump, which any version can read',
      answers: { 202: ACCEPTED },
    },
    'POST /snapshots': {
      id: 'createSnapshot',
      summary: 'Write a snapshot, a copy of all files',
      answers: { 202: ACCEPTED },
    },
    'POST /export': {
      id: 'export',
      summary: 'Copy indexes to another server',
      answers: { 200: ACCEPTED },
    },
    'GET /network': {
      id: 'getNetwork',
      summary: 'Show the servers that this one may ask',
      description: NETWORK,
      answers: { 200: answered('The network', network) },
      codes: ['feature_not_enabled'],
    },
    'PATCH /network': {
      id: 'changeNetwork',
      summary: 'Change the servers that this one may ask',
      description: NETWORK,
      answers: { 200: answered('The network', network) },
      codes: [
        'feature_not_enabled',
        'missing_network_url',
        'invalid_network_url',
        'invalid_network_remotes',
        'invalid_network_shards',
        'requires_enterprise_edition',
        'unexpected_network_previous_remotes',
      ],
    },
    'POST /network/control': {
      id: 'controlNetwork',
      summary: 'Refuse: networks with a leader are not of this edition',
      description: NETWORK,
      answers: {},
      codes: ['feature_not_enabled', 'requires_enterprise_edition'],
    },
    'POST /logs/stream': {
      id: 'followLogs',
      summary: 'Follow the log, for as long as the connection lasts',
      description: LOGS,
      answers: {
        200: {
          description: 'One event a line',
          schema: text,
          mediaTypes: ['text/plain', 'application/x-ndjson'],
        },
      },
      codes: ['feature_not_enabled', 'invalid_settings_typo_tolerance'],
    },
    'DELETE /logs/stream': {
      id: 'endLogs',
      summary: 'End the stream of the log',
      description: LOGS,
      answers: { 204: { description: 'No stream is left' } },
      codes: ['feature_not_enabled'],
    },
    'POST /logs/stderr': {
      id: 'changeLogs',
      summary: 'Change what the server logs',
      description: LOGS,
      answers: { 204: { description: 'It is changed' } },
      codes: ['feature_not_enabled'],
    },
  },
};
